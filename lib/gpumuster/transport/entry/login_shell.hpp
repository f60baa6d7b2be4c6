#pragma once

#include <string>

#include "gpumuster/base/command.hpp"

namespace gpumuster {

// The string that a host's login shell is given. A script becomes `exec /bin/sh -c '…'`, the one
// form that sh, bash, dash, zsh, fish, tcsh, ksh and busybox all hand on unharmed; a bare command
// stands as it is.
std::string for_login_shell(const RemoteCommand& command);

}  // namespace gpumuster
