#include "gpumuster-sim/smi.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "gpumuster-sim/gpu_board.hpp"

namespace gpumuster::sim {
namespace {

// The value of `--name=value` among shell words.
std::optional<std::string_view> option_value(std::string_view arguments, std::string_view option) {
    const std::size_t found = arguments.find(option);
    if (found == std::string_view::npos) return {};
    std::string_view value = arguments.substr(found + option.size());
    return value.substr(0, value.find_first_of(" \t\n'\";)|&<>"));
}

std::vector<std::string_view> split_fields(std::string_view list) {
    std::vector<std::string_view> fields;
    while (true) {
        const std::size_t comma = list.find(',');
        fields.push_back(list.substr(0, comma));
        if (comma == std::string_view::npos) return fields;
        list.remove_prefix(comma + 1);
    }
}

template <class CellOf>
std::string row(const std::vector<std::string_view>& fields, CellOf cell_of) {
    std::string line;
    const char* separator = "";
    for (const std::string_view field : fields) {
        line += separator + cell_of(field);
        separator = ", ";
    }
    return line + "\n";
}

CommandResult refused_field(std::string_view field) {
    return {fmt::format("Field \"{}\" is not a valid field to query.\n\n", field), {}, 2};
}

// What nvidia-smi says instead of any answer; empty when the driver answers.
std::optional<CommandResult> driver_error(const SimulatedHost& host) {
    if (host.state == HostState::version_mismatch) {
        return CommandResult{
            "Failed to initialize NVML: Driver/library version mismatch\n"
            "NVML library version: 570.124\n",
            {},
            18};
    }
    if (host.state == HostState::driver_not_loaded) {
        return CommandResult{
            "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make "
            "sure that the latest NVIDIA driver is installed and running.\n\n",
            {},
            9};
    }
    return {};
}

// The line that stands where the row of a lost GPU would.
std::string lost_line(const GpuBoard& board) {
    return fmt::format(
        "Unable to determine the device handle for GPU {}: GPU is lost.  Reboot the system to "
        "recover this GPU\n",
        board.bus_id.substr(4));
}

CommandResult query_gpus(const SimulatedHost& host, const std::vector<std::string_view>& fields,
                         Units units) {
    const std::vector<GpuBoard> boards = gpu_boards(host);
    for (const std::string_view field : fields) {
        const bool is_known = is_gpu_field(field);
        // An old driver knows the plain query alone.
        const bool is_plain = field == "index" || field == "memory.used";
        if (!is_known || (host.state == HostState::field_refused && !is_plain)) {
            return refused_field(field);
        }
    }
    if (boards.empty()) return {"No devices were found\n", {}, 6};
    CommandResult result;
    for (const GpuBoard& board : boards) {
        if (board.condition == Condition::lost) {
            result.out += lost_line(board);
            result.exit_status = 15;
            continue;
        }
        result.out += row(fields, [&](auto field) { return gpu_cell(board, field, units); });
    }
    return result;
}

std::string process_cell(const SimulatedHost& host, const GpuHolder& holder, std::string_view field,
                         Units units) {
    if (field == "gpu_uuid") return gpu_uuid(host, holder.gpu_index);
    if (field == "pid") return std::to_string(holder.pid);
    if (field == "process_name" || field == "name") {
        return host.command.substr(0, host.command.find(' '));
    }
    return mib_cell(holder.memory_mib, units);
}

CommandResult query_processes(const SimulatedHost& host,
                              const std::vector<std::string_view>& fields, Units units) {
    constexpr std::array<std::string_view, 6> known{"gpu_uuid", "pid",         "process_name",
                                                    "name",     "used_memory", "used_gpu_memory"};
    for (const std::string_view field : fields) {
        if (std::find(known.begin(), known.end(), field) == known.end()) {
            return refused_field(field);
        }
    }
    CommandResult result;
    for (const GpuHolder& holder : gpu_holders(host)) {
        result.out +=
            row(fields, [&](auto field) { return process_cell(host, holder, field, units); });
    }
    return result;
}

}  // namespace

CommandResult nvidia_smi(const SimulatedHost& host, std::string_view arguments) {
    const auto format = option_value(arguments, "--format=");
    const auto gpu_fields = option_value(arguments, "--query-gpu=");
    const auto process_fields = option_value(arguments, "--query-compute-apps=");
    if (!format || (!gpu_fields && !process_fields)) {
        return {"Invalid combination of input arguments. Please run 'nvidia-smi -h' for help.\n",
                {},
                1};
    }
    if (auto error = driver_error(host)) return *error;
    const bool has_units = format->find("nounits") == std::string_view::npos;
    const Units units = has_units ? Units::written : Units::left_out;
    if (gpu_fields) return query_gpus(host, split_fields(*gpu_fields), units);
    return query_processes(host, split_fields(*process_fields), units);
}

}  // namespace gpumuster::sim
