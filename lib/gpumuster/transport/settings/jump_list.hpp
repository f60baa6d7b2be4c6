#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "gpumuster/inventory/host.hpp"

namespace gpumuster {

// As ssh: further ones are refused rather than followed.
inline constexpr std::size_t most_jump_hosts = 8;

// One jump host as -J and ProxyJump name it.
struct JumpWord {
    std::string name;  // without the brackets of an IPv6 address
    std::optional<std::string> user;
    std::optional<std::uint16_t> port;
};

// What the tokens of ProxyJump stand for: %h, %n, %p and %r of the host that it is said for.
struct JumpTokens {
    std::string address;
    std::string name;
    std::uint16_t port = 22;
    std::string user;
};

// The value of ProxyJump as `ssh -G` prints it, in the order in which the hosts are passed. The
// error is a phrase that names what cannot be read.
tl::expected<std::vector<JumpWord>, std::string> parse_jump_list(std::string_view list,
                                                                 const JumpTokens& tokens);

// The hops of an inventory, as far as -J can say them.
std::vector<JumpWord> jump_words(const std::vector<Hop>& hops);

// For -J: "user@door:2222,[2001:db8::7]".
std::string jump_text(const std::vector<JumpWord>& words);

}  // namespace gpumuster
