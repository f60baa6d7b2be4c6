#include "gpumuster/probe/gpu_row.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <tuple>

#include "gpumuster/base/safe_text.hpp"
#include "gpumuster/probe/csv.hpp"
#include "gpumuster/probe/smi_errors.hpp"

namespace gpumuster {
namespace {

using Cells = std::vector<std::string_view>;

std::optional<int> parse_index(std::string_view cell) {
    const auto index = parse_number(cell, 0, highest_gpu_index);
    return index ? std::optional<int>(static_cast<int>(*index)) : std::nullopt;
}

// Cells in which [Unknown Error] means that the GPU itself cannot be read; some boards and drivers
// show it for a fan or for utilisation and are well.
bool is_core_field(std::string_view field) {
    return field == "uuid" || field == "memory_total_mib" || field == "memory_used_mib" ||
           field == "temperature_celsius" || field == "pstate";
}

class RowReader {
public:
    explicit RowReader(int index) { row_.reading.index = index; }

    template <class Number, class Parse>
    void number(std::string_view field, std::string_view cell, Parse parse,
                std::optional<Number>& value) {
        note_alarm(field, cell);
        if (const auto parsed = parse(cell)) {
            value = static_cast<Number>(*parsed);
        } else {
            miss(field, cell);
        }
    }

    void text(std::string_view field, std::string_view cell, std::optional<std::string>& value) {
        note_alarm(field, cell);
        if (is_absent(cell)) return miss(field, cell);
        value = quote_line(cell, 96);
    }

    void pstate(std::string_view cell) {
        note_alarm("pstate", cell);
        if (cell.starts_with('P') && parse_number(cell.substr(1), 0, 31)) {
            row_.reading.pstate = std::string(cell);
        } else {
            miss("pstate", cell);
        }
    }

    GpuReading& reading() { return row_.reading; }
    GpuRow take() { return std::move(row_); }

private:
    void miss(std::string_view field, std::string_view cell) {
        row_.reading.missing.push_back({std::string(field), quote_line(cell, 64)});
    }

    void note_alarm(std::string_view field, std::string_view cell) {
        if (!is_absent(cell)) return;
        const auto kind = alarm_in_cell(cell);
        if (!kind || (*kind == SmiErrorKind::gpu_unreadable && !is_core_field(field))) return;
        const bool is_known = std::any_of(row_.alarms.begin(), row_.alarms.end(),
                                          [&](const SmiError& a) { return a.kind == *kind; });
        if (!is_known) row_.alarms.push_back({*kind, row_.reading.index, {}, quote_line(cell, 64)});
    }

    GpuRow row_;
};

// Names may hold commas: three cells are counted from the left, seven from the right.
constexpr std::size_t full_columns = 10;
constexpr std::size_t columns_after_name = 7;

// A row of another query has something else where the bus id is expected.
bool is_bus_id(std::string_view cell) {
    return is_absent(cell) || (cell.find(':') != std::string_view::npos && cell.size() <= 16);
}

GpuRow read_full(int index, const Cells& cells) {
    RowReader row(index);
    GpuReading& gpu = row.reading();
    const Cells tail(cells.end() - columns_after_name, cells.end());
    row.text("uuid", cells[1], gpu.uuid);
    row.text("name", join_cells(cells[2], cells[cells.size() - columns_after_name - 1]), gpu.name);
    row.text("pci_bus_id", tail[0], gpu.pci_bus_id);
    row.number("memory_total_mib", tail[1], parse_mib, gpu.memory_total_mib);
    row.number("memory_used_mib", tail[2], parse_mib, gpu.memory_used_mib);
    row.number("utilization_percent", tail[3], parse_percent, gpu.utilization_percent);
    row.number("temperature_celsius", tail[4], parse_celsius, gpu.temperature_celsius);
    row.pstate(tail[5]);
    row.text("driver_version", tail[6], gpu.driver_version);
    return row.take();
}

GpuRow read_minimal(int index, const Cells& cells) {
    RowReader row(index);
    row.number("memory_used_mib", cells[1], parse_mib, row.reading().memory_used_mib);
    return row.take();
}

auto values_of(const GpuReading& gpu) {
    return std::tie(gpu.index, gpu.uuid, gpu.name, gpu.pci_bus_id, gpu.memory_total_mib,
                    gpu.memory_used_mib, gpu.utilization_percent, gpu.temperature_celsius,
                    gpu.pstate, gpu.driver_version);
}

}  // namespace

bool looks_like_row(std::string_view line) {
    const std::size_t comma = line.find(',');
    return comma != std::string_view::npos && parse_index(trim(line.substr(0, comma)));
}

std::optional<GpuRow> parse_gpu_row(std::string_view line, ProbeLevel level) {
    const Cells cells = split_cells(line);
    const auto index = parse_index(cells.front());
    if (!index) return {};
    if (level == ProbeLevel::minimal) {
        if (cells.size() != 2) return {};
        return read_minimal(*index, cells);
    }
    if (cells.size() < full_columns || !is_bus_id(cells[cells.size() - columns_after_name]))
        return {};
    return read_full(*index, cells);
}

bool is_same_row(const GpuReading& a, const GpuReading& b) {
    return values_of(a) == values_of(b);
}

}  // namespace gpumuster
