#pragma once

#include <string>

#include "gpumuster/report/fleet_report.hpp"

namespace gpumuster {

// One element of `hosts` in the JSON report, on one line without its end. Valid JSON and UTF-8
// whatever bytes the host sent. docs/report.md says what each key means.
std::string host_json(const HostReport& report);

}  // namespace gpumuster
