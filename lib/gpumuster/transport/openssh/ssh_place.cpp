#include "gpumuster/transport/openssh/ssh_place.hpp"

#include <algorithm>
#include <optional>
#include <string_view>

namespace gpumuster {
namespace {

constexpr std::string_view through_a_process = "UNKNOWN port 65535";

bool is_part_of_name(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' ||
           c == '.' || c == '_';
}

bool has_word(const std::string& line, const std::string& word) {
    if (word.empty()) return false;
    for (std::size_t at = line.find(word); at != std::string::npos; at = line.find(word, at + 1)) {
        const std::size_t end = at + word.size();
        const bool begins = at == 0 || !is_part_of_name(line[at - 1]);
        const bool ends = end == line.size() || !is_part_of_name(line[end]);
        if (begins && ends) return true;
    }
    return false;
}

// "HOST port N", "[HOST]:N" and a HOST without port are the forms of ssh's sentences.
bool names(const std::string& line, const Login& login) {
    const std::string key_name = known_hosts_name(login);
    if (key_name != login.address && has_word(line, key_name)) return true;
    if (!has_word(line, login.address)) return false;
    return line.find(" port ") == std::string::npos ||
           has_word(line, "port " + std::to_string(login.port));
}

std::optional<WayIndex> named_place(const std::string& line, const EffectiveSettings& settings) {
    std::optional<WayIndex> found;
    for (WayIndex place = 0; place <= settings.hops.size(); ++place) {
        if (!names(line, login_at(settings, place))) continue;
        if (found) return std::nullopt;
        found = place;
    }
    return found;
}

bool says(const std::string& line, std::string_view part) {
    return line.find(part) != std::string::npos;
}

}  // namespace

bool is_closing_line(const std::string& line) {
    if (!says(line, " port ")) return false;
    return says(line, "Connection closed by ") || says(line, "Connection reset by ") ||
           says(line, "Connection to ") || says(line, "Disconnected from ");
}

WayIndex place_by_count(const std::vector<SshLine>& lines, std::size_t index, bool has_closing_line,
                        const EffectiveSettings& settings) {
    const WayIndex target = settings.hops.size();
    std::size_t above = 0;
    bool is_own_closing_ahead = has_closing_line;
    for (std::size_t next = index + 1; next < lines.size(); ++next) {
        const std::string& text = lines[next].text;
        if (lines[next].is_debug || !is_closing_line(text)) continue;
        if (!is_own_closing_ahead && says(text, through_a_process)) ++above;
        is_own_closing_ahead = false;
    }
    return target - std::min(target, above);
}

WayIndex place_of_line(const std::vector<SshLine>& lines, std::size_t index, bool has_closing_line,
                       const EffectiveSettings& settings) {
    if (settings.hops.empty()) return 0;
    const std::optional<WayIndex> named = named_place(lines[index].text, settings);
    if (named) return *named;
    return place_by_count(lines, index, has_closing_line, settings);
}

const Login& login_at(const EffectiveSettings& settings, WayIndex place) {
    return place < settings.hops.size() ? settings.hops[place] : settings.target;
}

HopRef hop_at(const EffectiveSettings& settings, WayIndex place) {
    return place < settings.hops.size() ? jump_hop(settings, place) : target_hop(settings);
}

}  // namespace gpumuster
