#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace gpumuster::sim {

// What a simulated host does. docs/simulator.md describes each in a line.
enum class HostState {
    // what nvidia-smi says
    clean,
    slow,  // clean, with a latency of its own
    busy,
    held,
    missing_gpu,
    lost_gpu,
    needs_reset,
    version_mismatch,
    driver_not_loaded,
    field_refused,
    // how an answer fails to arrive
    hung,
    stuck,
    flood,
    torn,
    no_status,
    signalled,
    // what SSH refuses, or never answers
    unknown_key,
    changed_key,
    no_common_algorithm,
    refused_key,
    partial_auth,
    stuck_auth,
    channel_refused,
    stuck_channel,
    exec_refused,
    // a port that speaks no SSH, or hardly any
    refused_port,
    closed_before_banner,
    throttled,
    penalised,
    silent,
    not_ssh,
};

// Who plays a state: nobody (the port is closed), a plain socket, or an SSH session.
enum class Player { nobody, socket, session };

struct HostStateInfo {
    HostState state;
    std::string_view name;  // as scenario files write it
    Player player;
};

// Every state, in the order of the enum.
std::span<const HostStateInfo> host_states();

const HostStateInfo& state_info(HostState state);
std::optional<HostState> state_named(std::string_view name);

}  // namespace gpumuster::sim
