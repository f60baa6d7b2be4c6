#include "gpumuster/report/memory_text.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

namespace gpumuster {
namespace {

// More groups than this no longer read at a glance: eight workers of one job differ by a few MiB.
constexpr std::size_t most_groups = 4;

enum class Level { idle, above_floor, no_value };
enum class AboveFloor { by_value, together };

struct Group {
    Level level = Level::idle;
    MemoryRange used;
    std::vector<int> gpus;
};

Level level_of(const GpuReading& gpu, std::int64_t idle_memory_mib) {
    if (!gpu.memory_used_mib) return Level::no_value;
    return *gpu.memory_used_mib <= idle_memory_mib ? Level::idle : Level::above_floor;
}

void widen(MemoryRange& range, const MemoryRange& other) {
    range.low_mib = std::min(range.low_mib, other.low_mib);
    range.high_mib = std::max(range.high_mib, other.high_mib);
}

std::vector<Group> groups_of(std::span<const GpuReading> gpus, std::int64_t idle_memory_mib,
                             AboveFloor above_floor) {
    std::vector<Group> groups;
    for (const GpuReading& gpu : gpus) {
        const Level level = level_of(gpu, idle_memory_mib);
        const std::int64_t used = gpu.memory_used_mib.value_or(0);
        const auto same = std::ranges::find_if(groups, [&](const Group& group) {
            const bool needs_equal_value =
                level == Level::above_floor && above_floor == AboveFloor::by_value;
            return group.level == level && (!needs_equal_value || group.used.low_mib == used);
        });
        Group& group =
            same == groups.end() ? groups.emplace_back(Group{level, {used, used}, {}}) : *same;
        widen(group.used, {used, used});
        group.gpus.push_back(gpu.index);
    }
    return groups;
}

// "0–3,6"
std::string format_indices(const std::vector<int>& indices) {
    std::string text;
    for (std::size_t low = 0; low < indices.size();) {
        std::size_t high = low;
        while (high + 1 < indices.size() && indices[high + 1] == indices[high] + 1) ++high;
        if (!text.empty()) text += ',';
        text += low == high ? fmt::format("{}", indices[low])
                            : fmt::format("{}–{}", indices[low], indices[high]);
        low = high + 1;
    }
    return text;
}

std::string format_value(const Group& group) {
    return group.level == Level::no_value ? "?" : format_memory_range(group.used);
}

}  // namespace

std::string format_memory_range(const MemoryRange& range) {
    if (range.low_mib == range.high_mib) return fmt::format("{}", range.low_mib);
    return fmt::format("{}–{}", range.low_mib, range.high_mib);
}

std::optional<MemoryRange> idle_memory_range(std::span<const GpuReading> gpus,
                                             std::int64_t idle_memory_mib) {
    const auto groups = groups_of(gpus, idle_memory_mib, AboveFloor::together);
    if (groups.size() != 1 || groups.front().level != Level::idle) return {};
    return groups.front().used;
}

std::string memory_text(std::span<const GpuReading> gpus, std::int64_t idle_memory_mib) {
    auto groups = groups_of(gpus, idle_memory_mib, AboveFloor::by_value);
    if (groups.size() > most_groups) {
        groups = groups_of(gpus, idle_memory_mib, AboveFloor::together);
    }
    if (groups.size() == 1) return format_value(groups.front());
    std::string text;
    for (const Group& group : groups) {
        if (!text.empty()) text += " · ";
        text += format_indices(group.gpus) + ": " + format_value(group);
    }
    return text;
}

}  // namespace gpumuster
