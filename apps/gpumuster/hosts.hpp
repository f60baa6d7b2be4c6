#pragma once

#include <span>

#include "command_line.hpp"
#include "environment.hpp"
#include "gpumuster/report/sink.hpp"
#include "gpumuster/transport/effective_settings.hpp"

namespace gpumuster {

// Prints the hosts that `check` with the same arguments would inspect, and how; contacts nothing.
// Returns the exit status of the program. Throws InputError.
int run_hosts(const CommandLine& line, const Environment& environment);

// The list itself: name, user, address, port, route and expectations. Pure.
void render_hosts_table(std::span<const Host> hosts, const LoginDefaults& login, Sink& sink);

// A JSON array of objects with the same facts and the groups; an address and port of null belong
// to this machine, where there is no connection.
void render_hosts_json(std::span<const Host> hosts, const LoginDefaults& login, Sink& sink);

}  // namespace gpumuster
