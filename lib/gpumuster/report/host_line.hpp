#pragma once

#include <string>

#include "gpumuster/report/fleet_report.hpp"
#include "gpumuster/report/render.hpp"

namespace gpumuster {

// One host in one line, the verdict first:
// "clean   gpu1   8 × H100 80GB HBM3, all idle (0–2 MiB)   driver 570.86.15   0.9 s".
std::string host_line(const HostReport& report, Colour colour);

}  // namespace gpumuster
