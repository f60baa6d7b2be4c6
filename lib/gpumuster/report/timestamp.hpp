#pragma once

#include <chrono>
#include <string>

namespace gpumuster {

// RFC 3339 in UTC with milliseconds: "2026-03-01T09:05:00.250Z".
std::string format_timestamp(std::chrono::system_clock::time_point time);

}  // namespace gpumuster
