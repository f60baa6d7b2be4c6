#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "gpumuster/probe/readings.hpp"

namespace gpumuster {

struct GpuRow {
    GpuReading reading;
    std::vector<SmiError> alarms;  // at most one of each kind
};

// Whether the line starts as a row does, with a number and a comma, whole or not.
bool looks_like_row(std::string_view line);

// Empty when the line is no whole row of that level.
std::optional<GpuRow> parse_gpu_row(std::string_view line, ProbeLevel level);

// Every cell says the same.
bool is_same_row(const GpuReading& a, const GpuReading& b);

}  // namespace gpumuster
