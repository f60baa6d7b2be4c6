#pragma once

#include <optional>
#include <string>

#include "gpumuster/base/command.hpp"
#include "gpumuster/inventory/host.hpp"

namespace gpumuster {

// The string that a host's login shell is given. A script becomes `exec /bin/sh -c '…'`, the one
// form that sh, bash, dash, zsh, fish, tcsh, ksh and busybox all hand on unharmed; a bare command
// stands as it is.
//
// With a container, both are run by /bin/sh in there, with standard input empty and the usual
// folders behind the container's own PATH, and are ended in there when the command's limit has
// passed, even if nobody waits for them any more. The string asks first what must be asked before
// entering, and then runs the container's tool. What it says about itself on standard error is
// read by container_failure.hpp. It stays one line of printable ASCII without `!` and backslash
// where the command and the words of the entry are.
std::string for_login_shell(const RemoteCommand& command,
                            const std::optional<ContainerEntry>& container = std::nullopt);

}  // namespace gpumuster
