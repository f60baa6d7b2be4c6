#include "gpumuster/transport/loop/connect.hpp"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include <asio/posix/stream_descriptor.hpp>
#include <asio/this_coro.hpp>

namespace gpumuster {
namespace {

constexpr std::chrono::milliseconds next_attempt_delay{250};

// What the attempts of one connect_any share. Handlers that Asio still holds keep it alive after
// the coroutine has gone.
struct Race {
    explicit Race(std::shared_ptr<Signal> wake_up) : signal(std::move(wake_up)) {}

    std::shared_ptr<Signal> signal;
    std::vector<std::unique_ptr<asio::posix::stream_descriptor>> attempts;
    std::size_t pending = 0;
    int winner = -1;  // index into attempts
    int last_error = 0;
    bool is_over = false;
};

// Families take turns, so that a dead IPv6 path costs one delay and not one per address.
std::vector<SocketAddress> in_turns(const std::vector<SocketAddress>& addresses) {
    std::vector<SocketAddress> first;
    std::vector<SocketAddress> second;
    for (const SocketAddress& address : addresses) {
        const bool is_first = address.storage.ss_family == addresses.front().storage.ss_family;
        (is_first ? first : second).push_back(address);
    }
    std::vector<SocketAddress> turns;
    for (std::size_t i = 0; i < std::max(first.size(), second.size()); ++i) {
        if (i < first.size()) turns.push_back(first[i]);
        if (i < second.size()) turns.push_back(second[i]);
    }
    return turns;
}

UniqueFd open_socket(int family) {
#ifdef SOCK_CLOEXEC
    UniqueFd fd(::socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
#else
    UniqueFd fd(::socket(family, SOCK_STREAM, 0));
    if (fd.is_open()) {
        ::fcntl(fd.get(), F_SETFD, FD_CLOEXEC);
        ::fcntl(fd.get(), F_SETFL, O_NONBLOCK);
    }
#endif
    const int on = 1;
    if (fd.is_open()) ::setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    return fd;
}

int socket_error(int fd) {
    int error = 0;
    socklen_t size = sizeof error;
    if (::getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) != 0) return errno;
    return error;
}

void attempt_ended(Race& race, std::size_t index) {
    if (race.is_over) return;
    --race.pending;
    const int error = socket_error(race.attempts[index]->native_handle());
    if (error == 0 && race.winner < 0) {
        race.winner = static_cast<int>(index);
    } else if (error != 0) {
        race.last_error = error;
    }
    race.signal->notify();
}

void start_attempt(const std::shared_ptr<Race>& race, const SocketAddress& address,
                   const asio::any_io_executor& executor) {
    UniqueFd fd = open_socket(address.storage.ss_family);
    if (!fd.is_open()) {
        race->last_error = errno;
        return;
    }
    const int code =
        ::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address.storage), address.length);
    if (code != 0 && errno != EINPROGRESS) {
        race->last_error = errno;
        return;
    }
    const std::size_t index = race->attempts.size();
    race->attempts.push_back(
        std::make_unique<asio::posix::stream_descriptor>(executor, fd.release()));
    ++race->pending;
    race->attempts[index]->async_wait(
        asio::posix::stream_descriptor::wait_write,
        [race, index](const std::error_code&) { attempt_ended(*race, index); });
}

ConnectStatus status_of(int error) {
    switch (error) {
        case ECONNREFUSED:
            return ConnectStatus::refused;
        case ECONNRESET:
        case EPIPE:
            return ConnectStatus::reset;
        case ENETUNREACH:
        case EHOSTUNREACH:
        case EADDRNOTAVAIL:
        case ENETDOWN:
        case EAFNOSUPPORT:
            return ConnectStatus::no_route;
        case ETIMEDOUT:
            return ConnectStatus::timed_out;
        case EMFILE:
        case ENFILE:
            return ConnectStatus::out_of_descriptors;
        default:
            return ConnectStatus::failed;
    }
}

std::string peer_of(int fd) {
    SocketAddress address;
    address.length = sizeof address.storage;
    if (::getpeername(fd, reinterpret_cast<sockaddr*>(&address.storage), &address.length) != 0) {
        return {};
    }
    return numeric_address(address);
}

ConnectOutcome finish(Race& race, Wake wake) {
    ConnectOutcome outcome;
    race.is_over = true;
    if (race.winner >= 0) {
        asio::posix::stream_descriptor& winner =
            *race.attempts[static_cast<std::size_t>(race.winner)];
        outcome.status = ConnectStatus::connected;
        outcome.fd.reset(winner.release());
        outcome.peer_address = peer_of(outcome.fd.get());
    } else if (wake == Wake::cancelled) {
        outcome.status = ConnectStatus::cancelled;
    } else if (wake == Wake::deadline) {
        outcome.status = ConnectStatus::timed_out;
    } else {
        outcome.status = status_of(race.last_error);
        outcome.detail = std::strerror(race.last_error);
    }
    for (const auto& attempt : race.attempts) {
        std::error_code ignored;
        attempt->close(ignored);
    }
    return outcome;
}

}  // namespace

asio::awaitable<ConnectOutcome> connect_any(const std::vector<SocketAddress>& addresses,
                                            Deadline deadline, std::shared_ptr<Signal> leave) {
    const asio::any_io_executor executor = co_await asio::this_coro::executor;
    const std::vector<SocketAddress> turns = in_turns(addresses);
    const auto race = std::make_shared<Race>(leave);
    leave->clear();

    Wake wake = Wake::ready;
    std::size_t next = 0;
    Deadline next_start = std::chrono::steady_clock::now();
    while (race->winner < 0) {
        const auto now = std::chrono::steady_clock::now();
        if (now >= deadline) {
            wake = Wake::deadline;
            break;
        }
        if (next < turns.size() && (race->pending == 0 || now >= next_start)) {
            start_attempt(race, turns[next++], executor);
            next_start = now + next_attempt_delay;
            continue;
        }
        if (race->pending == 0) break;
        const Deadline until = next < turns.size() ? std::min(deadline, next_start) : deadline;
        const Wake one = co_await leave->wait(until);
        if (one == Wake::cancelled) {
            wake = one;
            break;
        }
    }
    co_return finish(*race, wake);
}

}  // namespace gpumuster
