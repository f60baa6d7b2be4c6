#pragma once

#include "account.hpp"
#include "command_line.hpp"
#include "environment.hpp"
#include "gpumuster/transport/settings/resolve_settings.hpp"

namespace gpumuster {

// Where the ssh_config of this run is asked: the `ssh` of $PATH, and the file of --ssh-config with
// its "~/" expanded. Throws InputError where that file cannot be read, or no ssh could read it.
ConfigSource config_source(const CommandLine& line, const Account& account,
                           const Environment& environment);

}  // namespace gpumuster
