#pragma once

#include <span>

#include "command_line.hpp"
#include "environment.hpp"
#include "gpumuster/report/sink.hpp"
#include "gpumuster/transport/target.hpp"

namespace gpumuster {

// Prints the hosts that `check` with the same arguments would inspect, and the way to each;
// contacts none of them. Returns the exit status of the program. Throws InputError.
int run_hosts(const CommandLine& line, const Environment& environment);

// The list itself: name, user, address, port, route and expectations; container and transport
// where a host has one that is not the usual. A host that there is no way to has "?" and the
// reason. Pure.
void render_hosts_table(std::span<const Target> targets, Sink& sink);

// A JSON array of objects with the same facts and the groups. An address and port of null belong
// to this machine, where there is no connection; a route of null to a host that has a `failure`.
void render_hosts_json(std::span<const Target> targets, Sink& sink);

}  // namespace gpumuster
