#include "gpumuster-sim/keys.hpp"

#include <libssh/libssh.h>

#include <stdexcept>

namespace gpumuster::sim {
namespace {

std::string taken(char* text) {
    std::string copy = text;
    ssh_string_free_char(text);
    return copy;
}

}  // namespace

void KeyPair::Free::operator()(ssh_key_struct* key) const {
    ssh_key_free(key);
}

KeyPair::KeyPair(KeyType type) {
    ssh_key key = nullptr;
    const int rc = type == KeyType::rsa ? ssh_pki_generate(SSH_KEYTYPE_RSA, 2048, &key)
                                        : ssh_pki_generate(SSH_KEYTYPE_ED25519, 0, &key);
    if (rc != SSH_OK) throw std::runtime_error("libssh cannot make a key");
    key_.reset(key);
}

std::string KeyPair::private_text() const {
    char* text = nullptr;
    if (ssh_pki_export_privkey_base64(get(), nullptr, nullptr, nullptr, &text) != SSH_OK) {
        throw std::runtime_error("libssh cannot write a private key");
    }
    return taken(text);
}

std::string KeyPair::public_text() const {
    char* text = nullptr;
    if (ssh_pki_export_pubkey_base64(get(), &text) != SSH_OK) {
        throw std::runtime_error("libssh cannot write a public key");
    }
    return std::string(ssh_key_type_to_char(ssh_key_type(get()))) + " " + taken(text);
}

bool KeyPair::has_same_public(ssh_key_struct* other) const {
    return ssh_key_cmp(get(), other, SSH_KEY_CMP_PUBLIC) == 0;
}

}  // namespace gpumuster::sim
