#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "gpumuster/probe/readings.hpp"

namespace gpumuster {

// The least and the most memory in use on several GPUs.
struct MemoryRange {
    std::int64_t low_mib = 0;
    std::int64_t high_mib = 0;
};

// "3" or "0–2", without the unit.
std::string format_memory_range(const MemoryRange& range);

// Of the GPUs of a host, when each gave a value and none is above the idle floor. Empty without a
// GPU.
std::optional<MemoryRange> idle_memory_range(std::span<const GpuReading> gpus,
                                             std::int64_t idle_memory_mib);

// The memory in use of every GPU of a host in one short text, MiB: "0–2" when all agree,
// "0: 1523 · 1–7: 3" when they do not. GPUs above the floor stand apart; a GPU that gave no value
// is "?", never 0. Empty without a GPU.
std::string memory_text(std::span<const GpuReading> gpus, std::int64_t idle_memory_mib);

}  // namespace gpumuster
