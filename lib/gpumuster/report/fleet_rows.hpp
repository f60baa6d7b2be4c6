#pragma once

#include <vector>

#include "gpumuster/report/columns.hpp"
#include "gpumuster/report/fleet_report.hpp"

namespace gpumuster {

// The compact table: a header, then hosts in the order of the report. Clean hosts with the same
// facts and numbered names are one row at the place of the first, and so are hosts that were not
// inspected for the same reason; memory and time are then the least and the most of them. A host
// that is a container is a row of its own.
std::vector<TableRow> fleet_rows(const FleetReport& report);
std::vector<Align> fleet_alignment();

}  // namespace gpumuster
