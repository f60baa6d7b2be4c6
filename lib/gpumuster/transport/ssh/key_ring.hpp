#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include <libssh/libssh.h>

namespace gpumuster {

// One private key file, read once per run and shared by all sessions of all loops, which only read
// it.
struct PrivateKey {
    enum class State { loaded, missing, unreadable, permissions_too_open, encrypted, unsupported };

    std::string path;
    State state = State::missing;
    std::shared_ptr<ssh_key_struct> key;  // for `loaded` only

    // Why it cannot be used: "/x/id_rsa is encrypted".
    std::string trouble() const;
};

// Loads without ever asking for a passphrase. As ssh does, a file that others can read is not used.
PrivateKey load_private_key(const std::string& path);

class KeyRing {
public:
    // Loads the file unless it is there already.
    const PrivateKey& load(const std::string& path);

    // One that load() was called for before.
    const PrivateKey& at(const std::string& path) const { return keys_.at(path); }

private:
    std::map<std::string, PrivateKey> keys_;
};

}  // namespace gpumuster
