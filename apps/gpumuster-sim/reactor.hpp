#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <queue>
#include <unordered_map>
#include <vector>

#include "gpumuster-sim/counts.hpp"
#include "gpumuster-sim/poller.hpp"
#include "gpumuster-sim/scenario.hpp"
#include "gpumuster-sim/sockets.hpp"
#include "gpumuster-sim/ssh_server.hpp"
#include "gpumuster-sim/visit.hpp"

namespace gpumuster::sim {

// Accepts connections and carries each visit on as its socket becomes ready. One thread.
class Reactor {
public:
    // run() returns when `stop_descriptor` becomes readable. Both outlive the reactor.
    Reactor(const SshServer& server, int stop_descriptor);

    // Takes the connections of a listening socket for `host`; all three outlive the reactor.
    void listen(int listener, const SimulatedHost& host, LiveCounts& counts);

    void run();

private:
    using Clock = Poller::Clock;
    using Token = Poller::Token;

    struct Listener {
        int descriptor = -1;
        const SimulatedHost* host = nullptr;
        LiveCounts* counts = nullptr;
    };

    struct Connection {
        Descriptor socket;  // closed after the visit that uses it is gone
        std::unique_ptr<Visit> visit;
        std::chrono::milliseconds latency{0};
        Want want = Want::input;
        bool is_watched = false;
    };

    // What waits for its time: a visit whose input has arrived, or a listener that is paused.
    struct Timer {
        Clock::time_point due;
        Token token = 0;
        bool operator>(const Timer& other) const { return due > other.due; }
    };

    void take_connections(Token token);
    void pause(Token token);
    void welcome(const Listener& listener, Descriptor socket);
    void wake(const Poller::Ready& ready);
    void fire_timers();
    void step(Token token, Connection& connection);
    void watch(Token token, Connection& connection, Want want);
    void unwatch(Connection& connection);
    void after(std::chrono::milliseconds delay, Token token);

    const SshServer& server_;
    Poller poller_;
    std::vector<Listener> listeners_;
    std::unordered_map<Token, Connection> connections_;
    std::priority_queue<Timer, std::vector<Timer>, std::greater<>> timers_;
    Token next_token_ = first_connection_token;
    bool is_stopping_ = false;

    // Tokens: the stop descriptor, then one for each listener, then the connections, never reused,
    // so that a timer or an event of a closed one finds nothing.
    static constexpr Token stop_token = 0;
    static constexpr Token first_listener_token = 1;
    static constexpr Token first_connection_token = Token{1} << 32U;
};

}  // namespace gpumuster::sim
