#include <csignal>
#include <iostream>
#include <system_error>

#include "gpumuster-sim/command_line.hpp"
#include "gpumuster-sim/simulated_fleet.hpp"
#include "gpumuster-sim/sockets.hpp"
#include "gpumuster-sim/state_folder.hpp"

namespace gpumuster::sim {
namespace {

SimulatedFleet* playing = nullptr;

void stop_playing(int) {
    playing->stop();
}

void stop_on_signals(SimulatedFleet& fleet) {
    playing = &fleet;
    struct sigaction action {};
    action.sa_handler = stop_playing;
    sigaction(SIGTERM, &action, nullptr);
    sigaction(SIGINT, &action, nullptr);
    std::signal(SIGPIPE, SIG_IGN);
}

}  // namespace

void run_simulator(const CommandLine& command_line) {
    raise_descriptor_limit();
    SimulatedFleet fleet(command_line.scenario.empty()
                             ? clean_scenario(command_line.hosts, command_line.latency)
                             : load_scenario_file(command_line.scenario, command_line.latency),
                         {.listen = command_line.listen});
    stop_on_signals(fleet);
    write_state_folder(fleet, command_line.state_folder);
    // Connections wait in the listeners' queues from here on.
    std::cout << "ready: " << fleet.hosts().size() << " hosts; gpumuster -i "
              << command_line.state_folder << "/inventory.yaml" << std::endl;
    fleet.run();
}

}  // namespace gpumuster::sim
