#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gpumuster-sim/scenario.hpp"

namespace gpumuster::sim {

// What one command of a host prints, and its exit status.
struct CommandResult {
    std::string out;
    std::string err;
    int exit_status = 0;
};

// A process that holds memory on one GPU of a busy host.
struct GpuHolder {
    int gpu_index = 0;
    std::int64_t pid = 0;
    std::int64_t memory_mib = 0;
};

inline constexpr std::string_view kernel_driver_version = "570.86.15";

// The same for the same host and GPU in every run.
std::string gpu_uuid(const SimulatedHost& host, int index);

// Empty unless the host is busy: one process on each GPU of the lower half.
std::vector<GpuHolder> gpu_holders(const SimulatedHost& host);

// Plays `nvidia-smi ARGUMENTS`: --query-gpu and --query-compute-apps with --format=csv,noheader
// and nounits, with the texts and exit statuses of the real one. A field that this board does not
// have is refused by name, as nvidia-smi does.
CommandResult nvidia_smi(const SimulatedHost& host, std::string_view arguments);

}  // namespace gpumuster::sim
