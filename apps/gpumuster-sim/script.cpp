#include "gpumuster-sim/script.hpp"

#include <algorithm>
#include <string>

namespace gpumuster::sim {
namespace {

constexpr std::size_t marker_digits = 16;

bool is_hex(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
}

bool is_word(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

std::string_view find_marker(std::string_view text) {
    std::size_t start = 0;
    while (start < text.size()) {
        std::size_t end = start;
        while (end < text.size() && is_word(text[end])) ++end;
        const std::string_view word = text.substr(start, end - start);
        if (word.size() == marker_digits && std::all_of(word.begin(), word.end(), is_hex)) {
            return word;
        }
        start = end + 1;
    }
    return {};
}

std::string_view section_name(std::string_view text) {
    std::size_t end = 0;
    while (end < text.size() && (is_word(text[end]) || text[end] == '-')) ++end;
    return end < text.size() && text[end] == ';' ? text.substr(0, end) : std::string_view{};
}

}  // namespace

std::optional<AskedScript> read_script(std::string_view command) {
    AskedScript script{find_marker(command), {}};
    if (script.marker.empty()) return {};
    std::size_t start = 0;
    while ((start = command.find("b ", start)) != std::string_view::npos) {
        const std::string_view before = command.substr(0, start);
        start += 2;
        if (!before.ends_with(';') && !before.ends_with(";then ")) continue;
        const std::string_view name = section_name(command.substr(start));
        const std::string_view rest = command.substr(start + name.size());
        const std::size_t end = rest.find(";e " + std::string(name) + " ");
        if (name.empty() || end == std::string_view::npos) continue;
        script.sections.push_back({name, rest.substr(1, end - 1), before.ends_with("then ")});
        start += name.size() + end;
    }
    if (script.sections.empty()) return {};
    return script;
}

}  // namespace gpumuster::sim
