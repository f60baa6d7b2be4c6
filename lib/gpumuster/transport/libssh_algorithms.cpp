#include "gpumuster/transport/libssh_algorithms.hpp"

namespace gpumuster {

const LibsshAlgorithms& libssh_algorithms() {
    static const LibsshAlgorithms algorithms{
        {"curve25519-sha256", "curve25519-sha256@libssh.org", "ecdh-sha2-nistp256",
         "ecdh-sha2-nistp384", "ecdh-sha2-nistp521", "diffie-hellman-group-exchange-sha256",
         "diffie-hellman-group-exchange-sha1", "diffie-hellman-group18-sha512",
         "diffie-hellman-group16-sha512", "diffie-hellman-group14-sha256",
         "diffie-hellman-group14-sha1", "diffie-hellman-group1-sha1"},
        {"ssh-ed25519", "ecdsa-sha2-nistp256", "ecdsa-sha2-nistp384", "ecdsa-sha2-nistp521",
         "rsa-sha2-512", "rsa-sha2-256", "ssh-rsa"},
        {"chacha20-poly1305@openssh.com", "aes256-gcm@openssh.com", "aes128-gcm@openssh.com",
         "aes256-ctr", "aes192-ctr", "aes128-ctr", "aes256-cbc", "aes192-cbc", "aes128-cbc",
         "3des-cbc"},
        {"hmac-sha2-256-etm@openssh.com", "hmac-sha2-512-etm@openssh.com",
         "hmac-sha1-etm@openssh.com", "hmac-sha2-256", "hmac-sha2-512", "hmac-sha1"},
        {"ssh-ed25519", "ecdsa-sha2-nistp256", "ecdsa-sha2-nistp384", "ecdsa-sha2-nistp521",
         "rsa-sha2-512", "rsa-sha2-256", "ssh-rsa", "ssh-ed25519-cert-v01@openssh.com",
         "ecdsa-sha2-nistp256-cert-v01@openssh.com", "ecdsa-sha2-nistp384-cert-v01@openssh.com",
         "ecdsa-sha2-nistp521-cert-v01@openssh.com", "rsa-sha2-512-cert-v01@openssh.com",
         "rsa-sha2-256-cert-v01@openssh.com", "ssh-rsa-cert-v01@openssh.com"}};
    return algorithms;
}

}  // namespace gpumuster
