#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "gpumuster/transport/retries.hpp"
#include "gpumuster/transport/transport.hpp"

namespace gpumuster {

struct OpensshOptions {
    std::string ssh_program;  // full path; empty: there is none, and every visit fails with that
    // Output of one command beyond this ends its ssh; both streams together.
    std::size_t output_cap_bytes = 1 << 20;
    // Called from every loop.
    Retries::Jitter jitter;
};

// The system's ssh, one process per command, for what libssh cannot do. Without a shell, without
// prompts, in a process group of its own that is killed at its deadline. open() contacts nobody;
// every command connects and logs in anew.
std::unique_ptr<Transport> make_openssh_transport(const OpensshOptions& options);

}  // namespace gpumuster
