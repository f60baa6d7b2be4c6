#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>

#include <libssh/libssh.h>
#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>

#include "gpumuster/transport/loop/wire.hpp"
#include "gpumuster/transport/ssh/algorithms.hpp"
#include "gpumuster/transport/ssh/kex_offer.hpp"

namespace gpumuster {

// A libssh session in non-blocking mode on a connected socket, and the waiting for it. One loop's;
// never shared. libssh works on a descriptor of its own (see Wire), which is closed with this
// object.
class SshSession {
public:
    // Takes the socket. Throws std::runtime_error when memory or descriptors ran out.
    SshSession(const asio::any_io_executor& executor, UniqueFd socket, SessionAlgorithms algorithms,
               std::stop_token cancel);
    ~SshSession();
    SshSession(const SshSession&) = delete;
    SshSession& operator=(const SshSession&) = delete;

    ssh_session get() const { return session_; }

    // What this client offers; refers to this object.
    OwnAlgorithms algorithms() const;

    int fd() const { return wire_.fd(); }

    // Waits until libssh can go on: readable, and writable when it has something to send.
    asio::awaitable<Wake> wait(Deadline deadline);

    // Waits for what the server says, while libssh is not yet on the socket.
    asio::awaitable<Wake> wait_for_input(Deadline deadline);

    // Waits for a moment that has no descriptor, at most until the deadline.
    asio::awaitable<Wake> pause(std::chrono::milliseconds duration, Deadline deadline);

    // See Wire::call_when().
    void call_when(Want want, std::function<void()> on_ready) {
        wire_.call_when(want, std::move(on_ready));
    }

    // Sends our identification. libssh sees nothing of the socket before the next connect_step(),
    // so until then what the server says first can be looked at without a race. Called once, first;
    // throws std::runtime_error.
    void introduce();

    // ssh_connect, and the socket made non-blocking again: libssh clears that behind our back.
    int connect_step();

    // What libssh says went wrong, made safe.
    std::string error_text() const;

private:
    Wire wire_;
    Signal pause_;
    const SessionAlgorithms algorithms_;
    ssh_session session_ = nullptr;
    UniqueFd not_yet_taken_;  // libssh's descriptor until ssh_connect was called
    UniqueFd far_end_;        // of the stand-in that libssh introduces itself to
    std::optional<std::stop_callback<std::function<void()>>> on_cancel_;
};

// How a step that was repeated until libssh had finished it came to its end.
struct StepEnd {
    Wake wake = Wake::ready;  // `ready`: `code` is libssh's answer
    int code = SSH_ERROR;
};

// Repeats `step` while it answers `again` (SSH_AGAIN or SSH_AUTH_AGAIN). libssh asks for one more
// call after it has written, even with nothing left, so each round calls twice before it waits.
// When the server says goodbye libssh closes its descriptor and goes on asking for another call,
// while ours stays readable: that is the end, too.
template <class Step>
asio::awaitable<StepEnd> drive(SshSession& session, Step& step, int again, Deadline deadline) {
    StepEnd end;
    while (true) {
        end.code = step();
        if (end.code == again) end.code = step();
        if (end.code != again) co_return end;
        if (::ssh_is_connected(session.get()) == 0) {
            end.code = SSH_ERROR;
            co_return end;
        }
        end.wake = co_await session.wait(deadline);
        if (end.wake != Wake::ready) co_return end;
    }
}

}  // namespace gpumuster
