#pragma once

#include <string>

#include "gpumuster-sim/simulated_fleet.hpp"

namespace gpumuster::sim {

// Writes FOLDER/key (mode 0600), FOLDER/known_hosts and FOLDER/inventory.yaml, which names the
// others by absolute paths; makes the folder where it is missing. Files of an earlier run are
// replaced. Throws InputError.
void write_state_folder(const SimulatedFleet& fleet, const std::string& folder);

}  // namespace gpumuster::sim
