#pragma once

#include "gpumuster/report/fleet_report.hpp"
#include "gpumuster/report/json_values.hpp"

namespace gpumuster {

// The GPUs of a host, each with its processes. Empty when none was read.
Json gpus_json(const HostReport& report);

// The processes whose GPU is not among those that were read.
Json unplaced_processes_json(const HostReadings& readings);

}  // namespace gpumuster
