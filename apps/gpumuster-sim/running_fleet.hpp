#pragma once

#include <thread>
#include <utility>

#include "gpumuster-sim/simulated_fleet.hpp"

namespace gpumuster::sim {

// A fleet that plays on a thread of its own for as long as this object lives: for tests.
class RunningFleet {
public:
    explicit RunningFleet(Scenario scenario, SimOptions options = {})
        : fleet_(std::move(scenario), std::move(options)), thread_([this] { fleet_.run(); }) {}
    ~RunningFleet() {
        fleet_.stop();
        thread_.join();
    }
    RunningFleet(const RunningFleet&) = delete;
    RunningFleet& operator=(const RunningFleet&) = delete;

    const SimulatedFleet* operator->() const { return &fleet_; }
    const SimulatedFleet& operator*() const { return fleet_; }

private:
    SimulatedFleet fleet_;
    std::thread thread_;
};

}  // namespace gpumuster::sim
