#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

namespace gpumuster {

// `[user@]host[:port]`, `[user@][v6]:port`, `ssh://…`, taken apart. User and port are checked; the
// host is not, for it may be a range.
struct TypedHost {
    std::optional<std::string> user;
    std::string host;        // without the brackets of an IPv6 address
    std::string shown_host;  // as it was typed
    std::optional<std::uint16_t> port;
};

// The error is a phrase without a place: `port "x" is not a number in 1-65535`.
tl::expected<TypedHost, std::string> take_apart(std::string_view word);

}  // namespace gpumuster
