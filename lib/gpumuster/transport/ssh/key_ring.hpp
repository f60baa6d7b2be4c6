#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <libssh/libssh.h>

#include "gpumuster/transport/ssh/secret.hpp"
#include "gpumuster/transport/trust/known_hosts.hpp"

namespace gpumuster {

// One private key file, read once per run and shared by all sessions of all loops, which only read
// it.
struct PrivateKey {
    enum class State {
        loaded,
        missing,
        unreadable,
        permissions_too_open,
        encrypted,
        declined,          // encrypted, and the user was asked and gave no passphrase
        wrong_passphrase,  // encrypted, and no passphrase that the user gave opens it
        public_only,       // the file holds a public key: an agent may have its private half
        unsupported,
    };

    std::string path;
    State state = State::missing;
    std::shared_ptr<ssh_key_struct> key;  // for `loaded` only

    // The public key, from the file itself or from KEY.pub; empty when neither tells.
    KeyBlob public_key;

    bool is_encrypted() const {
        return state == State::encrypted || state == State::declined ||
               state == State::wrong_passphrase;
    }

    // Why it cannot be used: "/x/id_rsa is encrypted".
    std::string trouble() const;
};

// Loads without ever asking for a passphrase. As ssh does, a file that others can read is not used.
PrivateKey load_private_key(const std::string& path);

// Loads an encrypted key. False: the passphrase does not open it, and nothing has changed.
bool decrypt(PrivateKey& key, const Secret& passphrase);

// One user certificate file.
struct Certificate {
    std::string path;
    bool is_missing = false;
    std::string trouble;  // why it cannot be used; empty when it can
    KeyBlob blob;
    KeyBlob key;  // the public key that it certifies
    std::shared_ptr<ssh_key_struct> certificate;
};
Certificate load_certificate(const std::string& path);

// The certificate that ssh looks for beside every key.
std::string certificate_beside(const std::string& key_path);

class KeyRing {
public:
    // Loads the file unless it is there already.
    const PrivateKey& load(const std::string& path);
    const Certificate& load_certificate(const std::string& path);

    // One that load() was called for before.
    const PrivateKey& at(const std::string& path) const { return keys_.at(path); }
    const Certificate& certificate_at(const std::string& path) const {
        return certificates_.at(path);
    }

    // Opens a key that load() found encrypted; see decrypt().
    bool open(const std::string& path, const Secret& passphrase);
    // Notes that the user was asked in vain.
    void note_asked(const std::string& path, PrivateKey::State state);

    // Joins every certificate with the loaded key that it is for. Called when all are loaded.
    void certify();
    // The private key at `key_path` with the certificate at `certificate_path`; empty when they do
    // not belong together or the key is not loaded.
    std::shared_ptr<ssh_key_struct> certified(const std::string& key_path,
                                              const std::string& certificate_path) const;

private:
    std::map<std::string, PrivateKey> keys_;
    std::map<std::string, Certificate> certificates_;
    std::map<std::pair<std::string, std::string>, std::shared_ptr<ssh_key_struct>> certified_;
};

}  // namespace gpumuster
