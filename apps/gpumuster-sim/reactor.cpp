#include "gpumuster-sim/reactor.hpp"

#include <cerrno>
#include <exception>

#include "gpumuster-sim/socket_visit.hpp"
#include "gpumuster-sim/ssh_visit.hpp"

namespace gpumuster::sim {
namespace {

// A level-triggered listener would spin while there is no descriptor to accept with.
constexpr std::chrono::milliseconds pause_without_descriptors{50};

std::unique_ptr<Visit> make_visit(const SshServer& server, const SimulatedHost& host,
                                  LiveCounts& counts, int socket) {
    if (state_info(host.state).player == Player::socket) {
        return std::make_unique<SocketVisit>(host.state, socket);
    }
    return make_ssh_visit(server, host, counts, socket);
}

}  // namespace

Reactor::Reactor(const SshServer& server, int stop_descriptor) : server_{server} {
    poller_.add(stop_descriptor, stop_token);
}

void Reactor::listen(int listener, const SimulatedHost& host, LiveCounts& counts) {
    poller_.add(listener, first_listener_token + listeners_.size());
    listeners_.push_back({listener, &host, &counts});
}

void Reactor::run() {
    while (!is_stopping_) {
        std::optional<Clock::time_point> until;
        if (!timers_.empty()) until = timers_.top().due;
        for (const Poller::Ready& ready : poller_.wait(until)) wake(ready);
        fire_timers();
    }
    connections_.clear();
}

void Reactor::wake(const Poller::Ready& ready) {
    if (ready.token == stop_token) {
        is_stopping_ = true;
        return;
    }
    if (ready.token < first_connection_token) return take_connections(ready.token);
    const auto found = connections_.find(ready.token);
    if (found == connections_.end()) return;
    Connection& connection = found->second;
    if (connection.latency.count() == 0 || !ready.has_input) return step(ready.token, connection);
    // What came is seen one latency later; what follows it until then is seen with it.
    unwatch(connection);
    after(connection.latency, ready.token);
}

void Reactor::take_connections(Token token) {
    const Listener& listener = listeners_[token - first_listener_token];
    while (true) {
        Descriptor socket = accept_connection(listener.descriptor);
        if (socket) {
            ++listener.counts->connections;
            welcome(listener, std::move(socket));
            continue;
        }
        if (errno == EINTR || errno == ECONNABORTED) continue;
        if (errno != EAGAIN && errno != EWOULDBLOCK) pause(token);
        return;
    }
}

void Reactor::pause(Token token) {
    poller_.remove(listeners_[token - first_listener_token].descriptor);
    after(pause_without_descriptors, token);
}

// A connection that there is no memory or descriptor for is closed again.
void Reactor::welcome(const Listener& listener, Descriptor socket) {
    const Token token = next_token_++;
    Connection& connection = connections_[token];
    connection.socket = std::move(socket);
    connection.latency = listener.host->latency;
    try {
        connection.visit =
            make_visit(server_, *listener.host, *listener.counts, connection.socket.get());
    } catch (const std::exception&) {
        connections_.erase(token);
        return;
    }
    if (connection.latency.count() == 0) return step(token, connection);
    after(connection.latency, token);
}

void Reactor::step(Token token, Connection& connection) {
    const Progress progress = connection.visit->step();
    if (progress == Progress::over) {
        unwatch(connection);
        connections_.erase(token);
        return;
    }
    watch(token, connection,
          progress == Progress::wants_input ? Want::input : Want::input_and_output);
}

void Reactor::watch(Token token, Connection& connection, Want want) {
    const int socket = connection.socket.get();
    if (!connection.is_watched) {
        poller_.add(socket, token, want);
    } else if (connection.want != want) {
        poller_.change(socket, token, want);
    }
    connection.is_watched = true;
    connection.want = want;
}

void Reactor::unwatch(Connection& connection) {
    if (connection.is_watched) poller_.remove(connection.socket.get());
    connection.is_watched = false;
}

void Reactor::after(std::chrono::milliseconds delay, Token token) {
    timers_.push({Clock::now() + delay, token});
}

void Reactor::fire_timers() {
    const auto now = Clock::now();
    while (!timers_.empty() && timers_.top().due <= now) {
        const Token token = timers_.top().token;
        timers_.pop();
        if (token < first_connection_token) {
            poller_.add(listeners_[token - first_listener_token].descriptor, token);
            continue;
        }
        const auto found = connections_.find(token);
        if (found != connections_.end()) step(token, found->second);
    }
}

}  // namespace gpumuster::sim
