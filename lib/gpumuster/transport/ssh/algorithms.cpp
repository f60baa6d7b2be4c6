#include "gpumuster/transport/ssh/algorithms.hpp"

#include <algorithm>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace gpumuster {
namespace {

using Names = std::vector<std::string>;

// group18 is left out: libssh prefers it to cheaper groups, and it costs 167 ms of CPU a host.
constexpr const char* our_key_exchanges =
    "curve25519-sha256,curve25519-sha256@libssh.org,ecdh-sha2-nistp256,ecdh-sha2-nistp384,"
    "ecdh-sha2-nistp521,diffie-hellman-group-exchange-sha256,diffie-hellman-group14-sha256,"
    "diffie-hellman-group16-sha512";
constexpr const char* our_host_keys =
    "ssh-ed25519,ecdsa-sha2-nistp256,ecdsa-sha2-nistp384,ecdsa-sha2-nistp521,rsa-sha2-512,"
    "rsa-sha2-256";
constexpr const char* our_ciphers =
    "aes256-gcm@openssh.com,aes128-gcm@openssh.com,chacha20-poly1305@openssh.com,aes256-ctr,"
    "aes192-ctr,aes128-ctr";

bool contains(const Names& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

Names split(const std::string& list) {
    Names names;
    std::istringstream stream(list);
    for (std::string name; std::getline(stream, name, ',');) names.push_back(name);
    return names;
}

Names possible(const std::string& list, const Names& supported) {
    Names names;
    for (const std::string& name : split(list)) {
        if (contains(supported, name) && !contains(names, name)) names.push_back(name);
    }
    return names;
}

std::string join(const Names& names) {
    return fmt::format("{}", fmt::join(names, ","));
}

std::string choose(const std::string& given, const Names& supported, const char* ours) {
    return given.empty() ? ours : join(possible(given, supported));
}

}  // namespace

std::string host_key_algorithms(const Names& known_types, const std::string& allowed) {
    const auto is_known = [&](const std::string& algorithm) {
        // An RSA key signs by either hash; its type in known_hosts is the old name.
        return contains(known_types, algorithm.starts_with("rsa-") ? "ssh-rsa" : algorithm);
    };
    Names ordered =
        possible(allowed.empty() ? our_host_keys : allowed, libssh_algorithms().host_keys);
    std::stable_partition(ordered.begin(), ordered.end(), is_known);
    return join(ordered);
}

std::optional<SessionAlgorithms> choose_algorithms(const AlgorithmLists& lists,
                                                   const Names& known_types) {
    const LibsshAlgorithms& supported = libssh_algorithms();
    SessionAlgorithms chosen;
    chosen.key_exchanges = choose(lists.key_exchanges, supported.key_exchanges, our_key_exchanges);
    chosen.host_keys = host_key_algorithms(known_types, lists.host_keys);
    chosen.ciphers = choose(lists.ciphers, supported.ciphers, our_ciphers);
    chosen.macs = choose(lists.macs, supported.macs, "");
    chosen.public_keys = choose(lists.public_keys, supported.public_keys, "");
    const bool is_impossible = chosen.key_exchanges.empty() || chosen.host_keys.empty() ||
                               chosen.ciphers.empty() ||
                               (chosen.macs.empty() && !lists.macs.empty()) ||
                               (chosen.public_keys.empty() && !lists.public_keys.empty());
    if (is_impossible) return std::nullopt;
    return chosen;
}

}  // namespace gpumuster
