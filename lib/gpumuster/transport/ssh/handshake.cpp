#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>

#include <fmt/format.h>

#include "gpumuster/base/safe_text.hpp"
#include "gpumuster/transport/ssh/greeting.hpp"
#include "gpumuster/transport/ssh/login.hpp"

namespace gpumuster {
namespace {

// A port that drips its greeting stays readable, so looking again is a matter of time.
constexpr std::chrono::milliseconds look_again{20};

// What has arrived and libssh has not taken yet.
struct Arrived {
    std::string bytes;
    bool is_closed = false;  // nothing will come after these bytes
};

// Bytes that were not taken hide the end of the stream behind them from recv().
bool has_hung_up(int fd) {
#ifdef POLLRDHUP
    pollfd one{fd, POLLRDHUP, 0};
    return ::poll(&one, 1, 0) > 0 && (one.revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0;
#else
    static_cast<void>(fd);
    return false;
#endif
}

Arrived peek_at(int fd) {
    std::array<char, longest_greeting> bytes;
    const ssize_t count = ::recv(fd, bytes.data(), bytes.size(), MSG_PEEK | MSG_DONTWAIT);
    Arrived arrived;
    if (count > 0) {
        arrived.bytes.assign(bytes.data(), static_cast<std::size_t>(count));
        arrived.is_closed = has_hung_up(fd);
    } else if (count == 0 || (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR)) {
        arrived.is_closed = true;
    }
    return arrived;
}

Failure greeting_failure(const Greeting& greeting, const HopRef& hop) {
    switch (greeting.kind) {
        case GreetingKind::throttled:
            return make_failure(FailureKind::handshake_throttled, hop,
                                fmt::format("sshd answers \"{}\"", greeting.line));
        case GreetingKind::penalised:
            return make_failure(FailureKind::handshake_penalised, hop,
                                fmt::format("sshd answers \"{}\"", greeting.line));
        default:
            return make_failure(
                FailureKind::handshake_not_ssh, hop,
                fmt::format("the port answers \"{}\", which is not SSH", greeting.line));
    }
}

Failure closed_failure(const Greeting& greeting, const HopRef& hop) {
    const std::string said =
        greeting.line.empty() ? "without a word" : fmt::format("after \"{}\"", greeting.line);
    return make_failure(FailureKind::handshake_closed, hop,
                        fmt::format("the connection was accepted and closed {}", said));
}

// `said` is what the server said up to here, `text` libssh's error. When the two sides have no
// algorithm in common, libssh closes its descriptor and then calls that the cause, so the offer is
// looked at first. The one place that reads libssh's texts for a key exchange.
Failure exchange_failure(const SshSession& session, const std::string& said, const HopRef& hop) {
    const std::string text = session.error_text();
    const auto says = [&](std::string_view part) { return text.find(part) != std::string::npos; };
    const std::optional<KexOffer> offer = read_kex_offer(said);
    const std::string gap = offer ? disagreement(*offer, session.algorithms()) : std::string();
    if (!gap.empty()) {
        return make_failure(FailureKind::handshake_no_common_algorithm, hop,
                            "no algorithm in common for the " + gap);
    }
    if (says("no match for method")) {
        return make_failure(FailureKind::handshake_no_common_algorithm, hop, text);
    }
    if (says("Socket error") || says("reset by peer") || says("disconnected")) {
        return make_failure(FailureKind::handshake_closed, hop,
                            "the connection was closed during the key exchange");
    }
    return make_failure(FailureKind::handshake_failed, hop, text);
}

// What ended a wait that brought nothing.
Failure wait_failure(Wake wake, const HopRef& hop, const std::string& message) {
    if (wake == Wake::cancelled) {
        return make_failure(FailureKind::run_interrupted, hop, "interrupted");
    }
    return make_failure(FailureKind::handshake_timeout, hop, message);
}

// Waits for the server's identification.
asio::awaitable<std::optional<Failure>> await_greeting(SshSession& session, const HopRef& hop,
                                                       Deadline deadline) {
    Greeting greeting;
    Wake wake = co_await session.wait_for_input(deadline);
    while (wake == Wake::ready) {
        const Arrived arrived = peek_at(session.fd());
        if (!arrived.bytes.empty()) greeting = read_greeting(arrived.bytes);
        if (greeting.kind == GreetingKind::ssh) co_return std::nullopt;
        if (greeting.kind != GreetingKind::incomplete) co_return greeting_failure(greeting, hop);
        if (arrived.is_closed) co_return closed_failure(greeting, hop);
        wake = co_await session.pause(look_again, deadline);
    }
    const std::string message =
        greeting.line.empty() ? "the port accepts connections but says nothing"
                              : fmt::format("the port says \"{}\" and no more", greeting.line);
    co_return wait_failure(wake, hop, message);
}

}  // namespace

asio::awaitable<std::optional<Failure>> shake_hands(SshSession& session, const HopRef& hop,
                                                    Deadline deadline) {
    session.introduce();
    std::optional<Failure> failure = co_await await_greeting(session, hop, deadline);
    if (failure) co_return failure;

    std::string said;
    auto connect = [&] {
        if (said.size() < longest_greeting) said += peek_at(session.fd()).bytes;
        return session.connect_step();
    };
    const StepEnd end = co_await drive(session, connect, SSH_AGAIN, deadline);
    if (end.wake != Wake::ready) {
        co_return wait_failure(end.wake, hop, "the key exchange was not finished in time");
    }
    if (end.code != SSH_OK) co_return exchange_failure(session, said, hop);
    co_return std::nullopt;
}

}  // namespace gpumuster
