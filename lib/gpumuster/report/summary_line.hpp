#pragma once

#include <string>

#include "gpumuster/report/fleet_report.hpp"

namespace gpumuster {

// "59 of 64 hosts clean · 2 busy · 1 hung · 490 of 512 GPUs free · 1.4 s"; says so when the run was
// interrupted or out of time.
std::string summary_line(const FleetReport& report);

}  // namespace gpumuster
