#pragma once

#include <memory>

#include "gpumuster-sim/counts.hpp"
#include "gpumuster-sim/scenario.hpp"
#include "gpumuster-sim/ssh_server.hpp"
#include "gpumuster-sim/visit.hpp"

namespace gpumuster::sim {

// An SSH session that plays `host` on a connected socket. The socket stays the caller's; it, the
// server, the host and its counts outlive the visit. Throws std::runtime_error.
std::unique_ptr<Visit> make_ssh_visit(const SshServer& server, const SimulatedHost& host,
                                      LiveCounts& counts, int socket);

}  // namespace gpumuster::sim
