#pragma once

#include <optional>

#include "gpumuster/base/command.hpp"
#include "gpumuster/base/failure.hpp"
#include "gpumuster/inventory/host.hpp"

namespace gpumuster {

// Why a command that was sent by for_login_shell did not start in its container: what was found
// before entering, or what the tool said. Empty when it did start, however it ended; when nobody
// knows how it ended; and when the host's login shell ran something else in its place, which is no
// matter of containers.
std::optional<Failure> container_failure(const CommandOutput& output,
                                         const ContainerEntry& container, const HopRef& hop);

}  // namespace gpumuster
