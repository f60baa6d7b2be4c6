#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "gpumuster/transport/ssh/session.hpp"

namespace gpumuster {

// One call of libssh, to be repeated while it answers that it is not finished.
using Step = std::function<int()>;

// Who may call libssh on a session and wait for it. A session that one visit has for itself is
// driven by that visit; one that many share has a driver of its own, to which they submit their
// steps: without it a call for one consumes what arrived for another, which then sleeps to its
// deadline.
class SessionDriver {
public:
    virtual ~SessionDriver() = default;

    virtual SshSession& session() = 0;

    // Repeats `step` while it answers `again`, at most until the deadline. The step is not called
    // any more when this has returned.
    virtual asio::awaitable<StepEnd> drive(Step step, int again, Deadline deadline) = 0;

    // To be told after a call of libssh outside of drive(): it may have consumed what others wait
    // for.
    virtual void has_called() = 0;

    // Takes a channel whose opening was given up before the server answered; `open` is the call
    // that opens it. It is closed once the answer is there, at the latest with the session.
    virtual void adopt_opening(ssh_channel channel, Step open) = 0;
};

// The driver of a session that is used by one coroutine at a time.
class OwnSession : public SessionDriver {
public:
    explicit OwnSession(std::unique_ptr<SshSession> session) : session_(std::move(session)) {}

    SshSession& session() override { return *session_; }
    asio::awaitable<StepEnd> drive(Step step, int again, Deadline deadline) override {
        co_return co_await gpumuster::drive(*session_, step, again, deadline);
    }
    void has_called() override {}
    void adopt_opening(ssh_channel, Step) override {}  // goes with the session

private:
    std::unique_ptr<SshSession> session_;
};

}  // namespace gpumuster
