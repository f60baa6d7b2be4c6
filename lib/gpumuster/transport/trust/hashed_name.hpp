#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace gpumuster {

// A name in known_hosts that does not tell itself: "|1|salt|hash", both base64, the hash being
// HMAC-SHA1 of the name under the salt.
struct HashedName {
    using Bytes = std::array<unsigned char, 20>;
    Bytes salt;
    Bytes hash;
};

HashedName hash_name(std::string_view name, const HashedName::Bytes& salt);

// Empty: the field is no hashed name.
std::optional<HashedName> parse_hashed_name(std::string_view field);

std::string write_hashed_name(const HashedName& name);

}  // namespace gpumuster
