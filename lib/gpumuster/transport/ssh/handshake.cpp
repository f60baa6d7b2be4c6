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

struct Peek {
    enum class State { nothing, text, closed };
    State state = State::nothing;
    Greeting greeting;
};

// Looks at what has arrived without taking it from libssh.
Peek peek_greeting(int fd) {
    std::array<char, longest_greeting> bytes;
    const ssize_t count = ::recv(fd, bytes.data(), bytes.size(), MSG_PEEK | MSG_DONTWAIT);
    Peek peek;
    if (count > 0) {
        peek.state = Peek::State::text;
        peek.greeting = read_greeting({bytes.data(), static_cast<std::size_t>(count)});
    } else if (count == 0 || (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR)) {
        peek.state = Peek::State::closed;
    }
    return peek;
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

// The first line when libssh has taken it already, before we could look.
Greeting taken_greeting(ssh_session session) {
    const char* banner = ::ssh_get_serverbanner(session);
    return read_greeting(banner != nullptr ? banner : "");
}

// libssh's texts for a key exchange that failed; this is the one place that reads them.
Failure exchange_failure(const SshSession& session, const HopRef& hop, const Greeting& greeting) {
    if (greeting.kind == GreetingKind::incomplete) return closed_failure(greeting, hop);
    if (greeting.kind != GreetingKind::ssh) return greeting_failure(greeting, hop);

    const std::string text = session.error_text();
    const auto says = [&](std::string_view part) { return text.find(part) != std::string::npos; };
    if (says("no match for method")) {
        return make_failure(FailureKind::handshake_no_common_algorithm, hop, text);
    }
    if (says("Socket error") || says("reset by peer") || says("disconnected")) {
        return make_failure(FailureKind::handshake_closed, hop,
                            "the connection was closed during the key exchange");
    }
    return make_failure(FailureKind::handshake_failed, hop, text);
}

Failure timeout_failure(const Greeting& greeting, const HopRef& hop) {
    std::string message = "the port accepts connections but says nothing";
    if (greeting.kind == GreetingKind::ssh) {
        message = "the key exchange was not finished in time";
    } else if (!greeting.line.empty()) {
        message = fmt::format("the port says \"{}\" and no more", greeting.line);
    }
    return make_failure(FailureKind::handshake_timeout, hop, message);
}

}  // namespace

asio::awaitable<std::optional<Failure>> shake_hands(SshSession& session, const HopRef& hop,
                                                    Deadline deadline) {
    Greeting greeting;
    while (true) {
        int code = session.connect_step();
        if (code == SSH_AGAIN) code = session.connect_step();
        if (greeting.kind == GreetingKind::incomplete) greeting = taken_greeting(session.get());
        if (code == SSH_OK) co_return std::nullopt;
        if (code == SSH_ERROR) co_return exchange_failure(session, hop, greeting);

        Wake wake = co_await session.wait(deadline);
        while (wake == Wake::ready && greeting.kind == GreetingKind::incomplete) {
            const Peek peek = peek_greeting(session.fd());
            if (peek.state == Peek::State::nothing) break;
            if (peek.state == Peek::State::closed) co_return closed_failure(greeting, hop);
            greeting = peek.greeting;
            if (greeting.kind == GreetingKind::ssh) break;
            if (greeting.kind != GreetingKind::incomplete) {
                co_return greeting_failure(greeting, hop);
            }
            wake = co_await session.pause(look_again, deadline);
        }
        if (wake == Wake::cancelled) {
            co_return make_failure(FailureKind::run_interrupted, hop, "interrupted");
        }
        if (wake == Wake::deadline) co_return timeout_failure(greeting, hop);
    }
}

}  // namespace gpumuster
