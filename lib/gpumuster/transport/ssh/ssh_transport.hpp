#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "gpumuster/base/result.hpp"
#include "gpumuster/transport/retries.hpp"
#include "gpumuster/transport/ssh/credentials.hpp"
#include "gpumuster/transport/target.hpp"
#include "gpumuster/transport/transport.hpp"

namespace gpumuster {

struct SshOptions {
    CredentialOptions credentials;
    // Output of one command beyond this closes its channel; both streams together.
    std::size_t output_cap_bytes = 1 << 20;
    // Called from every loop.
    Retries::Jitter jitter;
};

// libssh in non-blocking mode under the loops. Reads the private keys and known_hosts files that
// these targets need, once, before anything is contacted; throws InputError when a file that the
// user named cannot be used. A default file that is not there is no error.
std::unique_ptr<Transport> make_ssh_transport(std::span<const Target> targets,
                                              const SshOptions& options);

// "0.10.6/openssl/zlib"
std::string libssh_version();

}  // namespace gpumuster
