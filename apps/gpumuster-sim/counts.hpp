#pragma once

#include <atomic>

namespace gpumuster::sim {

// What a host has seen so far.
struct VisitCounts {
    unsigned connections = 0;
    unsigned key_offers = 0;     // public keys asked about without a signature
    unsigned auth_attempts = 0;  // signed requests
    unsigned logins = 0;
    unsigned channels = 0;
    unsigned execs = 0;
};

// Counted on the simulator's thread, read from any.
struct LiveCounts {
    std::atomic<unsigned> connections{0};
    std::atomic<unsigned> key_offers{0};
    std::atomic<unsigned> auth_attempts{0};
    std::atomic<unsigned> logins{0};
    std::atomic<unsigned> channels{0};
    std::atomic<unsigned> execs{0};

    VisitCounts read() const {
        return {connections, key_offers, auth_attempts, logins, channels, execs};
    }
};

}  // namespace gpumuster::sim
