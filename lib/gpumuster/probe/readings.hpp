#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gpumuster/base/command.hpp"

namespace gpumuster {

enum class ProbeLevel { minimal, full };

// A field that was asked for and came without a value: `field` is the name used in the report
// ("memory_used_mib"), `token` what stood in its place ("[N/A]"), made safe.
struct MissingField {
    std::string field;
    std::string token;
};

// One GPU at one moment. An empty optional means the driver gave no value, never zero.
struct GpuReading {
    int index = 0;  // as nvidia-smi numbers it; never renumbered
    std::optional<std::string> uuid;
    std::optional<std::string> name;
    std::optional<std::string> pci_bus_id;
    std::optional<std::int64_t> memory_total_mib;
    std::optional<std::int64_t> memory_used_mib;
    std::optional<int> utilization_percent;
    std::optional<int> temperature_celsius;
    std::optional<std::string> pstate;
    std::optional<std::string> driver_version;
    std::vector<MissingField> missing;
};

// A row of --query-compute-apps. On drivers that hide it, name or memory are empty.
struct ProcessReading {
    std::optional<std::string> gpu_uuid;
    std::int64_t pid = 0;
    std::optional<std::string> name;
    std::optional<std::int64_t> memory_used_mib;
};

// What is known of a pid that a compute process row names, read on the same host in the same
// PID namespace.
struct ProcessOwner {
    std::int64_t pid = 0;
    std::string user;
    std::string state;  // of ps: "S", "Zl"
    std::optional<std::int64_t> age_seconds;
    std::string command;  // made safe, shortened
};

// How one nvidia-smi query came out. Only `answered` makes its rows complete.
enum class QueryOutcome {
    not_asked,
    answered,       // exit status 0, every line understood as a row or as harmless
    partial,        // whole rows beside errors or a non-zero status
    torn,           // the output stopped in the middle
    timed_out,      // bounded on the target or by us, no complete answer
    field_refused,  // "Field "x" is not a valid field to query"
    tool_missing,
    failed,  // see `errors`
};

// What nvidia-smi itself said is wrong, in its closed form. Host-wide unless it names a GPU.
enum class SmiErrorKind {
    driver_not_loaded,
    version_mismatch,
    no_devices,
    library_missing,
    insufficient_permissions,
    blocked_by_os,
    nvml_unknown_error,
    gpu_lost,
    gpu_needs_reset,
    gpu_unreadable,  // "Unable to determine the device handle", Unknown Error in core fields
    inforom_corrupted,
    tool_not_executable,
    tool_crashed,
    unrecognised,
};

struct SmiError {
    SmiErrorKind kind = SmiErrorKind::unrecognised;
    std::optional<int> gpu_index;
    std::optional<std::string> pci_bus_id;
    std::string quote;  // the line, made safe and short
};

// An nvidia-smi that was already there and is in state D (uninterruptible, in the driver).
struct StuckQuery {
    std::int64_t pid = 0;
    std::optional<std::int64_t> age_seconds;
};

struct QueryReading {
    QueryOutcome outcome = QueryOutcome::not_asked;
    std::optional<int> exit_status;
    std::vector<SmiError> errors;
    std::string quote;  // of an answer that could not be read, made safe and short
};

// Everything one visit learned about a host, however it ended.
struct HostReadings {
    ProbeLevel asked = ProbeLevel::full;
    ProbeLevel answered = ProbeLevel::full;  // minimal when the full query was refused
    bool frame_seen = false;                 // our marker came back: a POSIX shell ran the script
    bool frame_complete = false;             // and its end as well
    Ending ending = Ending::lost;
    int exit_status = -1;
    std::string signal;

    QueryReading gpu_query;
    std::vector<GpuReading> gpus;      // by ascending index
    std::vector<int> missing_indices;  // gaps in the numbering

    QueryReading process_query;
    std::vector<ProcessReading> processes;
    // Rows that prove a process but hide its pid ("[Insufficient Permissions]"): their GPUs.
    std::vector<std::optional<std::string>> hidden_process_gpus;
    std::vector<ProcessOwner> owners;

    std::optional<std::string> kernel_driver_version;  // of the loaded module
    std::optional<int> effective_uid;
    std::optional<bool> initial_pid_namespace;
    std::vector<StuckQuery> stuck_queries;
    std::string shell_quote;  // what a login without a frame said, made safe and short
};

}  // namespace gpumuster
