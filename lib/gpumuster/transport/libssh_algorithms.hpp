#pragma once

#include <string>
#include <vector>

namespace gpumuster {

// What libssh 0.10 can do of the algorithms that OpenSSH names.
struct LibsshAlgorithms {
    std::vector<std::string> key_exchanges;
    std::vector<std::string> host_keys;
    std::vector<std::string> ciphers;
    std::vector<std::string> macs;
    std::vector<std::string> public_keys;
};
const LibsshAlgorithms& libssh_algorithms();

}  // namespace gpumuster
