#pragma once

#include <sstream>
#include <string>
#include <vector>

#include "gpumuster/transport/trust/known_hosts.hpp"

namespace gpumuster::test {

// An ed25519 key as SSH sends it; each number gives another.
inline KeyBlob numbered_key(int number) {
    std::string blob("\0\0\0\x0bssh-ed25519\0\0\0\x20", 19);
    for (int i = 0; i < 32; ++i) blob.push_back(static_cast<char>((number >> (i % 3 * 8)) & 0xff));
    return blob;
}

inline std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
}

}  // namespace gpumuster::test
