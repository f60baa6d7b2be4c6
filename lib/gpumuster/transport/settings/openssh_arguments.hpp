#pragma once

#include <string>
#include <vector>

#include "gpumuster/transport/settings/config_question.hpp"

namespace gpumuster {

// The arguments of the system's ssh before the destination: those that its configuration is asked
// with, and the keys and known_hosts of inventory and flags.
std::vector<std::string> openssh_arguments(const ConfigSource& source,
                                           const ConfigQuestion& question,
                                           const HostSettings& said);

// Why -J cannot say the hops of an inventory; empty when it can.
std::string trouble_with_hops(const HostSettings& said);

}  // namespace gpumuster
