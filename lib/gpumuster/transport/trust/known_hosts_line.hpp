#pragma once

#include <optional>
#include <string>

#include "gpumuster/transport/trust/hashed_name.hpp"
#include "gpumuster/transport/trust/known_hosts.hpp"

namespace gpumuster {

// Whether the name means itself and nothing else where it stands as it is: a HostKeyAlias may be
// any text, and a line for "*" would trust a key for every host.
bool can_stand_plain(const HostKeyName& host);

// The line that makes the key known for the host, without its end. With a salt the name is hashed;
// it must be one when the name cannot stand plain.
std::string known_hosts_line(const HostKeyName& host, const KeyBlob& key,
                             const std::optional<HashedName::Bytes>& salt = std::nullopt);

}  // namespace gpumuster
