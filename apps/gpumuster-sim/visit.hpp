#pragma once

namespace gpumuster::sim {

enum class Progress { wants_input, wants_output_too, over };

// One connection to a simulated host. Belongs to the thread of SimulatedFleet::run.
class Visit {
public:
    virtual ~Visit() = default;

    // Goes as far as it can without waiting. Called once after accepting, then whenever the socket
    // is ready for what the last call wanted. After `over` the connection is to be closed.
    virtual Progress step() = 0;
};

}  // namespace gpumuster::sim
