#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gpumuster/transport/effective_settings.hpp"
#include "gpumuster/transport/libssh_algorithms.hpp"

namespace gpumuster {

// What a session asks for, comma-separated, in this order.
struct SessionAlgorithms {
    std::string key_exchanges;
    std::string host_keys;
    std::string ciphers;
    std::string macs;         // empty: libssh's own
    std::string public_keys;  // for the user's signatures; empty: libssh's own
};

// Pure. A list of ssh_config keeps its order and loses what libssh cannot do; an empty one becomes
// ours. Empty optional: a list has nothing that libssh can do, which is no leave to use another.
std::optional<SessionAlgorithms> choose_algorithms(const AlgorithmLists& lists,
                                                   const std::vector<std::string>& known_types);

// The order in which host key algorithms are asked for: `allowed`, or ours where that is empty,
// those of keys known for the host first. Never certificates nor security keys. Empty: none of
// `allowed` can be asked for.
//
// OpenSSH leaves the order alone where the user set the whole list, but `ssh -G` does not tell that
// from a list with something added. Asking for known keys first in both cases accepts every host
// that OpenSSH accepts, and no key that is not known.
std::string host_key_algorithms(const std::vector<std::string>& known_types,
                                const std::string& allowed = {});

}  // namespace gpumuster
