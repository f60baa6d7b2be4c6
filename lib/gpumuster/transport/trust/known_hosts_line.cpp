#include "gpumuster/transport/trust/known_hosts_line.hpp"

#include <algorithm>

#include "gpumuster/transport/trust/base64.hpp"

namespace gpumuster {

bool can_stand_plain(const HostKeyName& host) {
    constexpr std::string_view with_a_meaning = "*?!,|@#";
    return !host.address.empty() &&
           std::all_of(host.address.begin(), host.address.end(), [&](char c) {
               return c > ' ' && c != '\x7f' && with_a_meaning.find(c) == std::string_view::npos;
           });
}

std::string known_hosts_line(const HostKeyName& host, const KeyBlob& key,
                             const std::optional<HashedName::Bytes>& salt) {
    const std::string name = lookup_name(host);
    const std::string field = salt ? write_hashed_name(hash_name(name, *salt)) : name;
    return field + " " + key_type_of(key) + " " + encode_base64(key);
}

}  // namespace gpumuster
