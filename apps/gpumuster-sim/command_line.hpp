#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "gpumuster-sim/scenario.hpp"

namespace gpumuster::sim {

struct CommandLine {
    int hosts = 0;         // 0: from the scenario file
    std::string scenario;  // file
    std::string listen = "127.0.0.1";
    std::string state_folder;
    std::chrono::milliseconds latency{0};
};

// Empty when everything was said already (--help, --version). Throws InputError.
std::optional<CommandLine> parse_command_line(int argc, char** argv);

// Plays until SIGTERM or SIGINT. Throws InputError, std::system_error.
void run_simulator(const CommandLine& command_line);

}  // namespace gpumuster::sim
