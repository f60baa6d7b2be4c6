#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gpumuster-sim/scenario.hpp"

namespace gpumuster::sim {

enum class Condition { good, needs_reset, lost };
enum class Units { written, left_out };

// One GPU of a host as its state makes it.
struct GpuBoard {
    int index = 0;
    std::string uuid;
    std::string bus_id;  // "00000000:1B:00.0"
    std::int64_t memory_used_mib = 0;
    int utilization_percent = 0;
    int temperature_celsius = 0;
    Condition condition = Condition::good;
};

// By ascending index, those that the driver still counts: a GPU that is missing is not among
// them, a lost one is.
std::vector<GpuBoard> gpu_boards(const SimulatedHost& host);

bool is_gpu_field(std::string_view field);

// The cell of a field that is_gpu_field.
std::string gpu_cell(const GpuBoard& board, std::string_view field, Units units);
std::string mib_cell(std::int64_t mib, Units units);

}  // namespace gpumuster::sim
