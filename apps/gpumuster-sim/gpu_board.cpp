#include "gpumuster-sim/gpu_board.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "gpumuster-sim/smi.hpp"

namespace gpumuster::sim {
namespace {

constexpr std::int64_t memory_total_mib = 81'559;
constexpr std::string_view needs_reset_token = "[GPU requires reset]";

// As an HGX H100 board numbers its eight; the second eight are of the same form.
constexpr std::array<std::string_view, max_gpus> buses{
    "1B", "43", "52", "61", "9D", "C3", "D1", "DF", "E0", "E3", "E6", "E9", "EC", "EF", "F2", "F5"};

// FNV-1a with a final mix: neighbouring names must not give neighbouring numbers.
std::uint64_t hash_of(std::string_view text, std::uint64_t seed) {
    std::uint64_t hash = 0xcbf29ce484222325U ^ seed;
    for (const char c : text) {
        hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
    }
    hash = (hash ^ (hash >> 30U)) * 0xbf58476d1ce4e5b9U;
    hash = (hash ^ (hash >> 27U)) * 0x94d049bb133111ebU;
    return hash ^ (hash >> 31U);
}

std::uint64_t hash_of(const SimulatedHost& host, int index, std::uint64_t seed) {
    return hash_of(host.name, seed * 64 + static_cast<std::uint64_t>(index));
}

// The GPU that something is wrong with, when the state is about a single one.
int afflicted_index(const SimulatedHost& host) {
    return host.missing_index.value_or(std::max(host.gpus - 1, 0));
}

std::int64_t idle_memory_mib(const SimulatedHost& host, int index) {
    if (host.state != HostState::held) return 2;
    return index == 0 ? 1523 : 3;
}

GpuBoard board_of(const SimulatedHost& host, int index) {
    GpuBoard board;
    board.index = index;
    board.uuid = gpu_uuid(host, index);
    board.bus_id = fmt::format("00000000:{}:00.0", buses[static_cast<std::size_t>(index)]);
    board.memory_used_mib = idle_memory_mib(host, index);
    board.temperature_celsius = 27 + static_cast<int>(hash_of(host, index, 3) % 8);
    if (index != afflicted_index(host)) return board;
    if (host.state == HostState::lost_gpu) board.condition = Condition::lost;
    if (host.state == HostState::needs_reset) {
        // Memory reads as 0 MiB there, so that the plain query sees a free GPU.
        board.condition = Condition::needs_reset;
        board.memory_used_mib = 0;
    }
    return board;
}

std::string with_unit(std::int64_t value, std::string_view unit, Units units) {
    if (units == Units::left_out) return std::to_string(value);
    return fmt::format("{} {}", value, unit);
}

struct Column {
    std::string_view field;
    std::string (*cell)(const GpuBoard&, Units);
};

constexpr std::array<Column, 12> columns{{
    {"index", [](const GpuBoard& b, Units) { return std::to_string(b.index); }},
    {"uuid", [](const GpuBoard& b, Units) { return b.uuid; }},
    {"gpu_uuid", [](const GpuBoard& b, Units) { return b.uuid; }},
    {"name", [](const GpuBoard&, Units) { return std::string("NVIDIA H100 80GB HBM3"); }},
    {"gpu_name", [](const GpuBoard&, Units) { return std::string("NVIDIA H100 80GB HBM3"); }},
    {"pci.bus_id", [](const GpuBoard& b, Units) { return b.bus_id; }},
    {"driver_version", [](const GpuBoard&, Units) { return std::string(kernel_driver_version); }},
    {"memory.total", [](const GpuBoard&, Units u) { return mib_cell(memory_total_mib, u); }},
    {"memory.used", [](const GpuBoard& b, Units u) { return mib_cell(b.memory_used_mib, u); }},
    {"utilization.gpu",
     [](const GpuBoard& b, Units u) { return with_unit(b.utilization_percent, "%", u); }},
    {"temperature.gpu",
     [](const GpuBoard& b, Units) { return std::to_string(b.temperature_celsius); }},
    {"pstate", [](const GpuBoard&, Units) { return std::string("P0"); }},
}};

const Column* find_column(std::string_view field) {
    for (const Column& column : columns) {
        if (column.field == field) return &column;
    }
    return nullptr;
}

bool needs_the_board(std::string_view field) {
    return field == "utilization.gpu" || field == "temperature.gpu" || field == "pstate";
}

}  // namespace

std::string gpu_uuid(const SimulatedHost& host, int index) {
    const std::uint64_t high = hash_of(host, index, 1);
    const std::uint64_t low = hash_of(host, index, 2);
    return fmt::format("GPU-{:08x}-{:04x}-{:04x}-{:04x}-{:012x}", high >> 32U,
                       (high >> 16U) & 0xffffU, high & 0xffffU, low >> 48U,
                       low & 0xffff'ffff'ffffU);
}

std::vector<GpuHolder> gpu_holders(const SimulatedHost& host) {
    if (host.state != HostState::busy) return {};
    std::vector<GpuHolder> holders;
    const int first_pid = 20'000 + static_cast<int>(hash_of(host, 0, 4) % 70'000);
    for (int index = 0; index < (host.gpus + 1) / 2; ++index) {
        holders.push_back({index, first_pid + index, 74'198});
    }
    return holders;
}

std::vector<GpuBoard> gpu_boards(const SimulatedHost& host) {
    std::vector<GpuBoard> boards;
    for (int index = 0; index < host.gpus; ++index) {
        if (host.state == HostState::missing_gpu && index == afflicted_index(host)) continue;
        boards.push_back(board_of(host, index));
    }
    for (const GpuHolder& holder : gpu_holders(host)) {
        GpuBoard& board = boards[static_cast<std::size_t>(holder.gpu_index)];
        board.memory_used_mib += holder.memory_mib;
        board.utilization_percent = 97;
        board.temperature_celsius += 30;
    }
    return boards;
}

bool is_gpu_field(std::string_view field) {
    return find_column(field) != nullptr;
}

std::string gpu_cell(const GpuBoard& board, std::string_view field, Units units) {
    if (board.condition == Condition::needs_reset && needs_the_board(field)) {
        return std::string(needs_reset_token);
    }
    return find_column(field)->cell(board, units);
}

std::string mib_cell(std::int64_t mib, Units units) {
    return with_unit(mib, "MiB", units);
}

}  // namespace gpumuster::sim
