#pragma once

#include <vector>

#include "gpumuster/report/columns.hpp"
#include "gpumuster/report/fleet_report.hpp"

namespace gpumuster {

// The wide table: one row per GPU, and a row for the host itself where none of its GPUs shows the
// host's verdict. Made host by host, so that the table is never held as a whole.
TableRow gpu_header();
std::vector<TableRow> gpu_rows(const HostReport& report);
std::vector<Align> gpu_alignment();

}  // namespace gpumuster
