#pragma once

#include <cstdint>

namespace gpumuster {

// The limits that verdicts are made with. The value used is in the report.
struct Thresholds {
    // Idle cards of every generation show 0-15 MiB, with display server or MIG up to 60; the
    // smallest real CUDA process seen held 107 MiB.
    std::int64_t idle_memory_mib = 100;
    // Utilisation covers a window that has passed; below 5 % there is no sustained work.
    int idle_utilization_percent = 5;
};

}  // namespace gpumuster
