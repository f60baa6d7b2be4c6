#include "gpumuster/transport/ssh/agent_login.hpp"

#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <utility>

#include <asio/post.hpp>
#include <asio/this_coro.hpp>

#include "gpumuster/transport/ssh/agent_relay.hpp"

namespace gpumuster {
namespace {

// One call of ssh_userauth_agent on another thread. Shared with that thread, which may come to it
// only after the login has given it up, and then finds it withdrawn.
struct Call {
    enum class Phase { queued, running, withdrawn };

    Call(ssh_session session_to_use, std::string user_name, asio::any_io_executor loop,
         std::shared_ptr<Signal> wake_up)
        : session(session_to_use),
          user(std::move(user_name)),
          executor(std::move(loop)),
          signal(std::move(wake_up)) {}

    bool pass(Phase to) {
        Phase from = Phase::queued;
        return phase.compare_exchange_strong(from, to);
    }

    const ssh_session session;
    const std::string user;
    const asio::any_io_executor executor;
    std::atomic<Phase> phase{Phase::queued};
    int code = SSH_AUTH_AGAIN;  // handed over by the post

    // The loop's only.
    std::shared_ptr<Signal> signal;
    bool is_done = false;
};

// libssh writes to its agent without MSG_NOSIGNAL. The thread is ours alone.
void block_broken_pipes() {
    sigset_t signals;
    ::sigemptyset(&signals);
    ::sigaddset(&signals, SIGPIPE);
    ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
}

void run(const std::shared_ptr<Call>& call) {
    if (!call->pass(Call::Phase::running)) return;
    block_broken_pipes();
    // libssh asks for one more call after it has written.
    for (int i = 0; i < 2 && call->code == SSH_AUTH_AGAIN; ++i) {
        call->code = ::ssh_userauth_agent(call->session, call->user.c_str());
    }
    const bool has_ended = ::ssh_is_connected(call->session) == 0;
    if (call->code == SSH_AUTH_AGAIN && has_ended) call->code = SSH_AUTH_ERROR;
    asio::post(call->executor, [call] {
        call->is_done = true;
        call->signal->notify();
    });
}

// Gives libssh its end of the relay, and takes it back so that each closes its own.
class BorrowedEnd {
public:
    BorrowedEnd(ssh_session session, int fd) : session_(session) {
        ::ssh_set_agent_socket(session_, fd);
    }
    ~BorrowedEnd() { ::ssh_set_agent_socket(session_, SSH_INVALID_SOCKET); }
    BorrowedEnd(const BorrowedEnd&) = delete;
    BorrowedEnd& operator=(const BorrowedEnd&) = delete;

private:
    const ssh_session session_;
};

class AgentConversation {
public:
    AgentConversation(const asio::any_io_executor& executor, SshSession& session,
                      const AgentLogin& login)
        : executor_(executor),
          session_(session),
          login_(login),
          signal_(std::make_shared<Signal>(executor)),
          relay_(executor, login.agent, login.identity, signal_),
          libssh_end_(session.get(), relay_.libssh_end()),
          on_cancel_(login.cancel, [this] {
              is_cancelled_ = true;
              signal_->notify();
          }) {}

    asio::awaitable<AgentLoginEnd> hold() {
        AgentLoginEnd result;
        while (true) {
            result.end = co_await call_libssh();
            if (result.end.wake != Wake::ready || result.end.code != SSH_AUTH_AGAIN) break;
            result.end.wake = co_await session_.wait(login_.deadline);
            if (result.end.wake != Wake::ready) break;
        }
        result.trouble = relay_.trouble();
        const bool is_late = result.end.wake == Wake::deadline;
        if (is_late && has_waited_mostly()) result.trouble = AgentTrouble::silent;
        co_return result;
    }

private:
    // Whether the time was spent in the agent's queue rather than with the host.
    bool has_waited_mostly() const {
        return waited_ > (std::chrono::steady_clock::now() - begun_) / 2;
    }

    // One call on the agent's thread, with the relay served meanwhile.
    asio::awaitable<StepEnd> call_libssh() {
        const auto before = std::chrono::steady_clock::now();
        const auto call = std::make_shared<Call>(session_.get(), login_.user, executor_, signal_);
        login_.agent.threads().submit([call] { run(call); });
        StepEnd end;
        while (!call->is_done) {
            relay_.step();
            if (end.wake == Wake::ready) end.wake = why_to_leave();
            if (end.wake != Wake::ready) {
                give_up(end.wake);
                if (call->pass(Call::Phase::withdrawn)) break;
            }
            // After giving up, libssh comes back by itself.
            const Deadline look = end.wake == Wake::ready ? next_look() : Deadline::max();
            co_await signal_->wait(look);
        }
        end.code = call->is_done ? call->code : SSH_AUTH_ERROR;
        call->signal.reset();  // the other thread may outlive the loop
        waited_ += std::chrono::steady_clock::now() - before;
        co_return end;
    }

    Wake why_to_leave() const {
        if (is_cancelled_) return Wake::cancelled;
        const bool is_late = std::chrono::steady_clock::now() >= login_.deadline;
        return is_late ? Wake::deadline : Wake::ready;
    }

    // What runs out of time here waits for the agent: for a signature, or for its turn to ask.
    void give_up(Wake why) {
        relay_.give_up(why == Wake::deadline ? AgentTrouble::silent : AgentTrouble::none);
    }

    Deadline next_look() const {
        return std::min(login_.deadline, relay_.next_look().value_or(Deadline::max()));
    }

    const asio::any_io_executor executor_;
    SshSession& session_;
    const AgentLogin& login_;
    std::shared_ptr<Signal> signal_;
    AgentRelay relay_;
    BorrowedEnd libssh_end_;
    const Deadline begun_ = std::chrono::steady_clock::now();
    std::chrono::steady_clock::duration waited_{};
    bool is_cancelled_ = false;
    std::stop_callback<std::function<void()>> on_cancel_;
};

}  // namespace

asio::awaitable<AgentLoginEnd> log_in_by_agent(SshSession& session, AgentLogin login) {
    const asio::any_io_executor executor = co_await asio::this_coro::executor;
    AgentConversation conversation(executor, session, login);
    co_return co_await conversation.hold();
}

}  // namespace gpumuster
