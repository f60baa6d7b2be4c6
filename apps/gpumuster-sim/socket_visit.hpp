#pragma once

#include "gpumuster-sim/host_state.hpp"
#include "gpumuster-sim/visit.hpp"

namespace gpumuster::sim {

// Plays the states that get no further than their first words. The socket stays the caller's and
// outlives the visit.
class SocketVisit : public Visit {
public:
    SocketVisit(HostState state, int socket) : state_{state}, socket_{socket} {}

    Progress step() override;

private:
    void speak();

    HostState state_;
    int socket_;
    bool has_spoken_ = false;
};

}  // namespace gpumuster::sim
