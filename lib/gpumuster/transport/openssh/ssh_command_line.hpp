#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "gpumuster/transport/effective_settings.hpp"

namespace gpumuster {

// The arguments for one command on the target, the program first. `command` is the string for the
// login shell; `connect` is how long a connection may take, unless the settings say so themselves.
std::vector<std::string> ssh_command_line(const std::string& program,
                                          const EffectiveSettings& settings,
                                          std::chrono::milliseconds connect,
                                          const std::string& command);

}  // namespace gpumuster
