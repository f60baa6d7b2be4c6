#pragma once

#include <string>
#include <vector>

#include "gpumuster/report/fleet_report.hpp"

namespace gpumuster {

// What is said once about the whole run, as safe text: the report's own notes, then how many hosts
// went through the system's ssh for which reason, unless that was asked for.
std::vector<std::string> run_notes(const FleetReport& report);

}  // namespace gpumuster
