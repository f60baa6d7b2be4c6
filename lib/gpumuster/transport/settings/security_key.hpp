#pragma once

#include <string>

namespace gpumuster {

// Whether a key file, private or public, is of a security key (FIDO): libssh 0.10 cannot sign with
// one. False where the file cannot be read. Blocks on the file system.
bool is_security_key(const std::string& path);

}  // namespace gpumuster
