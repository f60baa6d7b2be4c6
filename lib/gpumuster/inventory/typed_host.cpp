#include "gpumuster/inventory/typed_host.hpp"

#include <charconv>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "gpumuster/inventory/host_name.hpp"
#include "gpumuster/inventory/words.hpp"

namespace gpumuster {
namespace {

template <class T>
using OrPhrase = tl::expected<T, std::string>;

tl::unexpected<std::string> refused(std::string phrase) {
    return tl::unexpected<std::string>(std::move(phrase));
}

// A word whose user and port are still text.
struct Pieces {
    std::optional<std::string> user;
    std::string host;
    std::string shown_host;
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

OrPhrase<Pieces> split(std::string_view rest) {
    Pieces pieces;
    // The last one, as ssh does it: "user@corp@host".
    const std::size_t at = rest.rfind('@');
    if (at != std::string_view::npos) {
        pieces.user = std::string{rest.substr(0, at)};
        rest.remove_prefix(at + 1);
    }
    const std::size_t bracket = ipv6_bracket_end(rest);
    if (bracket != std::string_view::npos) {
        pieces.host = rest.substr(1, bracket - 1);
        pieces.shown_host = rest.substr(0, bracket + 1);
        if (!is_ipv6_address(pieces.host)) {
            return refused(fmt::format("{} is not an IPv6 address", quoted(pieces.host)));
        }
        rest.remove_prefix(bracket + 1);
        if (rest.empty()) return pieces;
        if (rest.front() != ':') return refused("only :port can follow the ]");
        pieces.port = std::string{rest.substr(1)};
        return pieces;
    }
    const std::size_t colon = is_ipv6_address(rest) ? std::string_view::npos : rest.rfind(':');
    pieces.host = rest.substr(0, colon);
    pieces.shown_host = pieces.host;
    if (colon != std::string_view::npos) pieces.port = std::string{rest.substr(colon + 1)};
    return pieces;
}

OrPhrase<std::uint16_t> parse_port(std::string_view text) {
    int port = 0;
    const char* end = text.data() + text.size();
    const auto [after, error] = std::from_chars(text.data(), end, port);
    const bool is_number = error == std::errc{} && after == end && text.front() != '0';
    if (is_number && port >= 1 && port <= 65'535) return static_cast<std::uint16_t>(port);
    return refused(fmt::format("port {} is not a number in 1-65535", quoted(text)));
}

}  // namespace

tl::expected<TypedHost, std::string> take_apart(std::string_view word) {
    auto pieces = split(without_scheme(word));
    if (!pieces) return refused(std::move(pieces.error()));
    TypedHost typed;
    if (pieces->user) {
        if (const auto fault = user_fault(*pieces->user)) {
            return refused(fmt::format("user {} {}", quoted(*pieces->user), *fault));
        }
        typed.user = std::move(pieces->user);
    }
    if (pieces->port) {
        const auto port = parse_port(*pieces->port);
        if (!port) return refused(port.error());
        typed.port = *port;
    }
    typed.host = std::move(pieces->host);
    typed.shown_host = std::move(pieces->shown_host);
    return typed;
}

}  // namespace gpumuster
