#include "gpumuster/transport/settings/ssh_config_answer.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include <fmt/format.h>

#include "gpumuster/base/safe_text.hpp"

namespace gpumuster {
namespace {

// ssh prints some eighty; with thousands of hosts the others are worth leaving out.
constexpr auto kept = std::to_array<std::string_view>(
    {"hostname", "user", "port",
     // Keys.
     "identityfile", "certificatefile", "identitiesonly", "identityagent", "pubkeyauthentication",
     "preferredauthentications", "requiredrsasize", "pkcs11provider", "securitykeyprovider",
     "gssapiauthentication", "gssapikeyexchange", "hostbasedauthentication",
     // Host keys.
     "hostkeyalias", "userknownhostsfile", "globalknownhostsfile", "stricthostkeychecking",
     "hashknownhosts", "knownhostscommand", "verifyhostkeydns", "revokedhostkeys",
     "nohostauthenticationforlocalhost", "checkhostip",
     // The way.
     "proxyjump", "proxycommand", "proxyusefdpass", "bindaddress", "bindinterface", "addressfamily",
     "connecttimeout",
     // Algorithms; the last one by its name before OpenSSH 8.5.
     "kexalgorithms", "hostkeyalgorithms", "ciphers", "macs", "pubkeyacceptedalgorithms",
     "pubkeyacceptedkeytypes"});

std::string lower(std::string_view text) {
    std::string result(text);
    std::transform(result.begin(), result.end(), result.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; });
    return result;
}

std::string_view without_line_end(std::string_view line) {
    while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.remove_suffix(1);
    return line;
}

void read_line(std::string_view line, SshConfigAnswer& answer) {
    line = without_line_end(line);
    const std::size_t blank = line.find(' ');
    std::string keyword = lower(line.substr(0, blank));
    if (std::find(kept.begin(), kept.end(), keyword) == kept.end()) return;
    const std::string_view value =
        blank == std::string_view::npos ? std::string_view() : line.substr(blank + 1);
    if (keyword == "pubkeyacceptedkeytypes") keyword = "pubkeyacceptedalgorithms";
    answer.add(std::move(keyword), std::string(value));
}

std::uint16_t port_number(const std::string& text) {
    std::uint16_t port = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
    return error == std::errc() && end == text.data() + text.size() ? port : std::uint16_t{0};
}

}  // namespace

const std::string& SshConfigAnswer::value(std::string_view keyword) const {
    static const std::string nothing;
    const std::vector<std::string>& all = values(keyword);
    return all.empty() ? nothing : all.front();
}

const std::vector<std::string>& SshConfigAnswer::values(std::string_view keyword) const {
    static const std::vector<std::string> none;
    const auto found = values_.find(keyword);
    return found == values_.end() ? none : found->second;
}

bool SshConfigAnswer::is_on(std::string_view keyword) const {
    const std::string word = lower(value(keyword));
    return word == "yes" || word == "true";
}

std::string SshConfigAnswer::set_value(std::string_view keyword) const {
    const std::string& word = value(keyword);
    return lower(word) == "none" ? std::string() : word;
}

void SshConfigAnswer::add(std::string keyword, std::string value) {
    values_[std::move(keyword)].push_back(std::move(value));
}

void SshConfigAnswer::forget_what_is_in(const SshConfigAnswer& other) {
    std::erase_if(values_, [&](const auto& entry) {
        const auto& [keyword, values] = entry;
        const bool is_kept = keyword == "hostname" || keyword == "user" || keyword == "port";
        return !is_kept && values == other.values(keyword);
    });
}

std::uint16_t SshConfigAnswer::port() const {
    return port_number(value("port"));
}

tl::expected<SshConfigAnswer, std::string> parse_ssh_g(std::string_view text) {
    SshConfigAnswer answer;
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        read_line(text.substr(0, end), answer);
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
    for (const std::string_view keyword : {"hostname", "user", "port"}) {
        if (answer.value(keyword).empty()) {
            return tl::unexpected<std::string>(fmt::format("it names no {}", keyword));
        }
    }
    if (answer.port() == 0) {
        return tl::unexpected<std::string>(fmt::format("its port \"{}\" is not a number in 1-65535",
                                                       quote_line(answer.value("port"), 40)));
    }
    return answer;
}

}  // namespace gpumuster
