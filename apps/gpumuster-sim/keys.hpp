#pragma once

#include <memory>
#include <string>

struct ssh_key_struct;

namespace gpumuster::sim {

enum class KeyType { ed25519, rsa };

// A key pair of libssh's. Immutable, so that sessions may share it.
class KeyPair {
public:
    explicit KeyPair(KeyType type);  // throws std::runtime_error

    ssh_key_struct* get() const { return key_.get(); }

    // What a private key file holds: OpenSSH's format, or PEM for RSA; no passphrase.
    std::string private_text() const;

    // As known_hosts and authorized_keys write it: "ssh-ed25519 AAAA…".
    std::string public_text() const;

    bool has_same_public(ssh_key_struct* other) const;

private:
    struct Free {
        void operator()(ssh_key_struct* key) const;
    };
    std::unique_ptr<ssh_key_struct, Free> key_;
};

}  // namespace gpumuster::sim
