#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace gpumuster {

// What may be the name or the address of a host, and the name of a user. Such words go to the
// resolver, to ssh, and into every report, so only the characters that they can need are taken.
inline constexpr std::size_t max_host_name_length = 255;

// Empty when `text` can be a host: a DNS name (underscores too), an IPv4 address or an IPv6 address
// without brackets. Otherwise what is wrong, to stand after the quoted text: `has a blank`.
std::optional<std::string> host_name_fault(std::string_view text);

// The same for an address that has no place for a port and a user; names the keys that do.
std::optional<std::string> address_fault(std::string_view text);

// The same for a user; "DOM\user", "user@corp" and "svc$" are names of users.
std::optional<std::string> user_fault(std::string_view text);

// "::1", "fe80::1%eth0".
bool is_ipv6_address(std::string_view text);

// `name:8`, where a port may be meant or a number of slots.
bool is_name_with_number(std::string_view text);

}  // namespace gpumuster
