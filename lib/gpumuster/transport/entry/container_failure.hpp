#pragma once

#include <optional>

#include "gpumuster/base/command.hpp"
#include "gpumuster/base/failure.hpp"
#include "gpumuster/inventory/host.hpp"

namespace gpumuster {

inline std::optional<Failure> container_failure(const CommandOutput&, const ContainerEntry&,
                                         const HopRef&) { return std::nullopt; }

}  // namespace gpumuster
