#include <algorithm>
#include <charconv>
#include <optional>
#include <system_error>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "gpumuster/base/input_error.hpp"
#include "gpumuster/inventory/host_name.hpp"
#include "gpumuster/inventory/host_range.hpp"
#include "gpumuster/inventory/inventory.hpp"
#include "gpumuster/inventory/words.hpp"

namespace gpumuster {
namespace {

template <class T>
using OrPhrase = tl::expected<T, std::string>;

tl::unexpected<std::string> refused(std::string phrase) {
    return tl::unexpected<std::string>(std::move(phrase));
}

// One target taken apart: `user@host:port`, where host may be a range.
struct Target {
    std::optional<std::string> user;
    std::string host;        // without the brackets of an IPv6 address
    std::string shown_host;  // as it was typed
    std::optional<std::string> port;
};

std::string_view without_scheme(std::string_view word) {
    constexpr std::string_view scheme = "ssh://";
    if (word.substr(0, scheme.size()) != scheme) return word;
    word.remove_prefix(scheme.size());
    if (!word.empty() && word.back() == '/') word.remove_suffix(1);
    return word;
}

// The end of "[::1]" at the start of `text`; npos for a range and for anything else.
std::size_t ipv6_bracket_end(std::string_view text) {
    if (text.empty() || text.front() != '[') return std::string_view::npos;
    const std::size_t end = text.find(']');
    const bool has_colon = text.substr(0, end).find(':') != std::string_view::npos;
    return has_colon ? end : std::string_view::npos;
}

OrPhrase<Target> take_apart(std::string_view word) {
    Target target;
    std::string_view rest = word;
    // The last one, as ssh does it: "user@corp@host".
    const std::size_t at = rest.rfind('@');
    if (at != std::string_view::npos) {
        target.user = std::string{rest.substr(0, at)};
        rest.remove_prefix(at + 1);
    }
    const std::size_t bracket = ipv6_bracket_end(rest);
    if (bracket != std::string_view::npos) {
        target.host = rest.substr(1, bracket - 1);
        target.shown_host = rest.substr(0, bracket + 1);
        if (!is_ipv6_address(target.host)) {
            return refused(fmt::format("{} is not an IPv6 address", quoted(target.host)));
        }
        rest.remove_prefix(bracket + 1);
        if (rest.empty()) return target;
        if (rest.front() != ':') return refused("only :port can follow the ]");
        target.port = std::string{rest.substr(1)};
        return target;
    }
    const std::size_t colon = is_ipv6_address(rest) ? std::string_view::npos : rest.rfind(':');
    target.host = rest.substr(0, colon);
    target.shown_host = target.host;
    if (colon != std::string_view::npos) target.port = std::string{rest.substr(colon + 1)};
    return target;
}

OrPhrase<std::uint16_t> parse_port(std::string_view text) {
    int port = 0;
    const char* end = text.data() + text.size();
    const auto [after, error] = std::from_chars(text.data(), end, port);
    const bool is_number = error == std::errc{} && after == end && text.front() != '0';
    if (is_number && port >= 1 && port <= 65'535) return static_cast<std::uint16_t>(port);
    return refused(fmt::format("port {} is not a number in 1-65535", quoted(text)));
}

// Everything of a target but its host, checked.
OrPhrase<HostSettings> settings_of(const Target& target) {
    HostSettings settings;
    if (target.user) {
        if (const auto fault = user_fault(*target.user)) {
            return refused(fmt::format("user {} {}", quoted(*target.user), *fault));
        }
        settings.user = target.user;
    }
    if (target.port) {
        const auto port = parse_port(*target.port);
        if (!port) return refused(port.error());
        settings.port = *port;
    }
    return settings;
}

OrPhrase<std::vector<std::string>> hosts_of(const Target& target) {
    auto names = expand_host_range(target.host);
    if (!names) return names;
    for (const std::string& name : *names) {
        if (const auto fault = host_name_fault(name)) {
            return refused(fmt::format("host name {} {}", quoted(name), *fault));
        }
    }
    return names;
}

// The hosts of one word, each named as if it had been typed alone.
OrPhrase<std::vector<Host>> parse_word(std::string_view word) {
    const auto target = take_apart(without_scheme(word));
    if (!target) return refused(target.error());
    const auto settings = settings_of(*target);
    if (!settings) return refused(settings.error());
    const auto names = hosts_of(*target);
    if (!names) return refused(names.error());

    const std::string before = target->user ? *target->user + "@" : "";
    const std::string after = target->port ? ":" + *target->port : "";
    const bool is_in_brackets = target->shown_host != target->host;
    std::vector<Host> hosts;
    for (const std::string& name : *names) {
        Host host{.settings = *settings};
        host.name = before + (is_in_brackets ? target->shown_host : name) + after;
        if (host.name != name) host.settings.address = name;
        hosts.push_back(std::move(host));
    }
    return hosts;
}

// The hosts that the lists mean, each once, in order; a word that cannot be taken adds a line.
std::vector<Host> parse_lists(std::span<const std::string> lists, std::vector<std::string>& lines) {
    std::vector<Host> hosts;
    std::unordered_set<std::string> names;
    for (const std::string& list : lists) {
        for (const std::string& word : split_host_list(list)) {
            auto parsed = parse_word(word);
            if (!parsed) {
                lines.push_back(fmt::format("target {}: {}", quoted(word), parsed.error()));
                continue;
            }
            for (Host& host : *parsed) {
                if (names.insert(host.name).second) hosts.push_back(std::move(host));
            }
        }
    }
    return hosts;
}

}  // namespace

std::vector<Host> hosts_from_arguments(std::span<const std::string> targets,
                                       std::span<const std::string> excluded) {
    const auto left_out = without_blank_lists(excluded);

    std::vector<std::string> lines;
    std::vector<Host> hosts = parse_lists(targets, lines);
    std::unordered_set<std::string> unwanted;
    for (const Host& host : parse_lists(left_out, lines)) unwanted.insert(host.name);
    if (!lines.empty()) throw InputError(std::move(lines));

    // "-x gpu3" also means the target "root@gpu3:2222".
    const auto is_unwanted = [&](const Host& host) {
        return unwanted.count(host.name) != 0 || unwanted.count(address_of(host)) != 0;
    };
    const bool had_hosts = !hosts.empty();
    hosts.erase(std::remove_if(hosts.begin(), hosts.end(), is_unwanted), hosts.end());
    if (had_hosts && hosts.empty()) {
        throw InputError("no host is left to inspect: all of them are excluded");
    }
    return hosts;
}

}  // namespace gpumuster
