#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gpumuster-sim/host_state.hpp"

namespace gpumuster::sim {

inline constexpr int max_gpus = 16;

// One host of a scenario.
struct SimulatedHost {
    std::string name;
    HostState state = HostState::clean;
    std::chrono::milliseconds latency{0};  // of a round trip; TCP's own handshake is not delayed
    int gpus = 8;                          // on the host, before its state takes one away
    int expected_gpus = 8;                 // what the written inventory expects
    std::optional<int> missing_index;      // of missing_gpu; empty: the last one, so no gap shows
    std::string user = "anna";             // of busy
    std::string command = "python3 train.py";
};

// The hosts to play, in the order in which they are written to the inventory.
struct Scenario {
    std::vector<SimulatedHost> hosts;
};

// `count` clean hosts named node01, node02, …
Scenario clean_scenario(int count, std::chrono::milliseconds latency);

// The YAML of docs/simulator.md. Throws InputError with every error, each `file:line: …`.
// `latency` is for the hosts of a file that gives none.
Scenario load_scenario(std::string_view text, const std::string& file_name,
                       std::chrono::milliseconds latency = {});
Scenario load_scenario_file(const std::string& path, std::chrono::milliseconds latency = {});

// As parse_duration, and zero besides: "0ms".
std::optional<std::chrono::milliseconds> parse_latency(std::string_view text);

}  // namespace gpumuster::sim
