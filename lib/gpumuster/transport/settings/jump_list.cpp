#include "gpumuster/transport/settings/jump_list.hpp"

#include <charconv>
#include <utility>

#include <fmt/format.h>

#include "gpumuster/base/safe_text.hpp"

namespace gpumuster {
namespace {

using Parsed = tl::expected<JumpWord, std::string>;

tl::unexpected<std::string> refused(std::string_view word, std::string_view why) {
    return tl::unexpected<std::string>(
        fmt::format("jump host \"{}\" {}", quote_line(word, 80), why));
}

tl::expected<std::string, std::string> expand(std::string_view word, const JumpTokens& tokens) {
    std::string text;
    for (std::size_t i = 0; i < word.size(); ++i) {
        if (word[i] != '%') {
            text += word[i];
            continue;
        }
        const char token = ++i < word.size() ? word[i] : '\0';
        if (token == '%') {
            text += '%';
        } else if (token == 'h') {
            text += tokens.address;
        } else if (token == 'n') {
            text += tokens.name;
        } else if (token == 'p') {
            text += std::to_string(tokens.port);
        } else if (token == 'r') {
            text += tokens.user;
        } else {
            return refused(word, "has a token that ProxyJump does not know");
        }
    }
    return text;
}

std::optional<std::uint16_t> port_number(std::string_view text) {
    std::uint16_t port = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
    if (error != std::errc() || end != text.data() + text.size() || port == 0) return {};
    return port;
}

struct HostAndPort {
    std::string_view host;
    std::string_view port;  // empty: none
};

HostAndPort split_port(std::string_view text) {
    if (text.starts_with('[')) {
        const std::size_t close = text.find(']');
        if (close == std::string_view::npos) return {};
        const std::string_view rest = text.substr(close + 1);
        if (!rest.empty() && !rest.starts_with(':')) return {};
        return {text.substr(1, close - 1), rest.empty() ? rest : rest.substr(1)};
    }
    const std::size_t colon = text.rfind(':');
    if (colon == std::string_view::npos || colon != text.find(':')) return {text, {}};
    return {text.substr(0, colon), text.substr(colon + 1)};
}

Parsed parse_word(std::string_view word) {
    constexpr std::string_view scheme = "ssh://";
    std::string_view rest = word;
    if (rest.starts_with(scheme)) {
        rest.remove_prefix(scheme.size());
        rest = rest.substr(0, rest.find('/'));
    }
    JumpWord jump;
    const std::size_t at = rest.rfind('@');
    if (at != std::string_view::npos) {
        jump.user = std::string(rest.substr(0, at));
        rest.remove_prefix(at + 1);
    }
    const HostAndPort place = split_port(rest);
    if (place.host.empty()) return refused(word, "has no name");
    if (place.host.starts_with('-')) return refused(word, "begins with a dash");
    jump.name = std::string(place.host);
    if (!place.port.empty()) {
        jump.port = port_number(place.port);
        if (!jump.port) return refused(word, "has no port in 1-65535");
    }
    return jump;
}

}  // namespace

tl::expected<std::vector<JumpWord>, std::string> parse_jump_list(std::string_view list,
                                                                 const JumpTokens& tokens) {
    std::vector<JumpWord> jumps;
    while (!list.empty()) {
        const std::size_t comma = list.find(',');
        const auto word = expand(list.substr(0, comma), tokens);
        if (!word) return tl::unexpected<std::string>(word.error());
        Parsed jump = parse_word(*word);
        if (!jump) return tl::unexpected<std::string>(std::move(jump.error()));
        jumps.push_back(std::move(*jump));
        list.remove_prefix(comma == std::string_view::npos ? list.size() : comma + 1);
    }
    return jumps;
}

std::vector<JumpWord> jump_words(const std::vector<Hop>& hops) {
    std::vector<JumpWord> words;
    for (const Hop& hop : hops) words.push_back({hop.address, hop.user, hop.port});
    return words;
}

std::string jump_text(const std::vector<JumpWord>& words) {
    std::string text;
    for (const JumpWord& word : words) {
        if (!text.empty()) text += ',';
        if (word.user) text += *word.user + "@";
        const bool is_ipv6 = word.name.find(':') != std::string::npos;
        text += is_ipv6 ? "[" + word.name + "]" : word.name;
        if (word.port) text += fmt::format(":{}", *word.port);
    }
    return text;
}

}  // namespace gpumuster
