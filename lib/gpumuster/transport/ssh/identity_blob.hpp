#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "gpumuster/transport/trust/known_hosts.hpp"

namespace gpumuster {

// What a user's public key or certificate, as SSH sends it, says of itself.
struct BlobFacts {
    std::string type;             // "ssh-ed25519", "ssh-rsa-cert-v01@openssh.com"
    bool is_certificate = false;  // then `key` is the one inside
    KeyBlob key;
    std::optional<int> rsa_bits;
};

// Empty: damaged, or of a type that libssh cannot log in with (security keys, DSA, unknown ones).
std::optional<BlobFacts> read_blob(std::string_view blob);

// The blob in the first line of a .pub file; empty when there is none.
std::optional<KeyBlob> blob_of_line(std::string_view text);

// The public part of a private key in OpenSSH's own format, which is never encrypted.
std::optional<KeyBlob> public_part_of(std::string_view private_key_file);

}  // namespace gpumuster
