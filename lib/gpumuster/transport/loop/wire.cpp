#include "gpumuster/transport/loop/wire.hpp"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <cstdint>
#include <utility>

#include <asio/posix/stream_descriptor.hpp>

namespace gpumuster {

struct Wire::State {
    State(const asio::any_io_executor& executor, int fd)
        : descriptor(executor, fd), signal(executor) {}

    asio::posix::stream_descriptor descriptor;
    Signal signal;
    bool is_gone = false;
    bool is_read_awaited = false;
    bool is_write_awaited = false;
    std::uint64_t generation = 0;  // of the current wait; handlers of older ones are ignored
};

Wire::Wire(const asio::any_io_executor& executor, UniqueFd fd) {
    set_nonblocking(fd.get());
    state_ = std::make_shared<State>(executor, fd.get());
    fd.release();  // owned by the descriptor from here on
}

Wire::~Wire() {
    if (!state_) return;
    state_->is_gone = true;
    std::error_code ignored;
    state_->descriptor.close(ignored);
}

Wire::Wire(Wire&&) noexcept = default;

asio::awaitable<Wake> Wire::wait(Want want, Deadline deadline) {
    using Descriptor = asio::posix::stream_descriptor;
    const std::shared_ptr<State> state = state_;
    if (state->signal.is_cancelled()) co_return Wake::cancelled;

    const std::uint64_t generation = ++state->generation;
    const auto on_ready = [state, generation](const std::error_code&) {
        if (state->generation == generation) state->signal.notify();
    };
    if (want != Want::writable) state->descriptor.async_wait(Descriptor::wait_read, on_ready);
    if (want != Want::readable) state->descriptor.async_wait(Descriptor::wait_write, on_ready);

    const Wake wake = co_await state->signal.wait(deadline);
    ++state->generation;
    if (wake != Wake::ready || want == Want::either) {
        std::error_code ignored;
        state->descriptor.cancel(ignored);
    }
    co_return wake;
}

void Wire::call_when(Want want, std::function<void()> on_ready) {
    using Descriptor = asio::posix::stream_descriptor;
    bool State::*const awaited =
        want == Want::writable ? &State::is_write_awaited : &State::is_read_awaited;
    if ((*state_).*awaited) return;
    (*state_).*awaited = true;
    const auto direction = want == Want::writable ? Descriptor::wait_write : Descriptor::wait_read;
    state_->descriptor.async_wait(
        direction, [state = state_, awaited, call = std::move(on_ready)](const std::error_code&) {
            (*state).*awaited = false;
            if (!state->is_gone) call();
        });
}

void Wire::cancel() {
    state_->signal.cancel();
}

int Wire::fd() const {
    return state_->descriptor.native_handle();
}

UniqueFd Wire::duplicate() const {
    return UniqueFd(::fcntl(fd(), F_DUPFD_CLOEXEC, 0));
}

void set_nonblocking(int fd) {
    const int flags = ::fcntl(fd, F_GETFL);
    if (flags >= 0 && (flags & O_NONBLOCK) == 0) ::fcntl(fd, F_SETFL, flags | O_NONBLOCK);
}

void acknowledge_quickly([[maybe_unused]] int fd) {
#ifdef TCP_QUICKACK
    const int on = 1;
    ::setsockopt(fd, IPPROTO_TCP, TCP_QUICKACK, &on, sizeof on);
#endif
}

void notice_silence([[maybe_unused]] int fd) {
#ifdef __linux__
    const int on = 1;
    const int idle_seconds = 10;
    const int interval_seconds = 5;
    const int unanswered = 3;
    const unsigned unacknowledged_ms = 20'000;
    ::setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
    ::setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle_seconds, sizeof idle_seconds);
    ::setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &interval_seconds, sizeof interval_seconds);
    ::setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &unanswered, sizeof unanswered);
    ::setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &unacknowledged_ms, sizeof unacknowledged_ms);
#endif
}

}  // namespace gpumuster
