#include "gpumuster-sim/poller.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>

#if defined(__linux__) && !defined(GPUMUSTER_SIM_PORTABLE_POLL)
#define GPUMUSTER_SIM_EPOLL
#include <sys/epoll.h>
#else
#include <poll.h>
#endif

namespace gpumuster::sim {
namespace {

[[noreturn]] void fail(const char* call) {
    throw std::system_error(errno, std::generic_category(), call);
}

// Rounded up, so that a timer is due when the wait for it is over.
int timeout_ms(std::optional<Poller::Clock::time_point> until) {
    if (!until) return -1;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(*until - Poller::Clock::now());
    return static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, 3'600'000));
}

}  // namespace

#ifdef GPUMUSTER_SIM_EPOLL

struct Poller::Impl {
    int descriptor = -1;
    std::array<epoll_event, 512> events{};

    void control(int operation, int target, Token token, Want want) const {
        epoll_event event{};
        event.events = want == Want::input ? EPOLLIN : EPOLLIN | EPOLLOUT;
        event.data.u64 = token;
        if (epoll_ctl(descriptor, operation, target, &event) != 0) fail("epoll_ctl");
    }
};

Poller::Poller() : impl_{std::make_unique<Impl>()} {
    impl_->descriptor = epoll_create1(EPOLL_CLOEXEC);
    if (impl_->descriptor < 0) fail("epoll_create1");
}

Poller::~Poller() {
    close(impl_->descriptor);
}

void Poller::add(int descriptor, Token token, Want want) {
    impl_->control(EPOLL_CTL_ADD, descriptor, token, want);
}

void Poller::change(int descriptor, Token token, Want want) {
    impl_->control(EPOLL_CTL_MOD, descriptor, token, want);
}

void Poller::remove(int descriptor) {
    impl_->control(EPOLL_CTL_DEL, descriptor, 0, Want::input);
}

const std::vector<Poller::Ready>& Poller::wait(std::optional<Clock::time_point> until) {
    ready_.clear();
    const int count = epoll_wait(impl_->descriptor, impl_->events.data(),
                                 static_cast<int>(impl_->events.size()), timeout_ms(until));
    if (count < 0 && errno != EINTR) fail("epoll_wait");
    for (int i = 0; i < count; ++i) {
        const epoll_event& event = impl_->events[static_cast<std::size_t>(i)];
        ready_.push_back({event.data.u64, (event.events & ~std::uint32_t{EPOLLOUT}) != 0});
    }
    return ready_;
}

#else

struct Poller::Impl {
    std::vector<pollfd> descriptors;
    std::vector<Token> tokens;

    std::size_t place_of(int descriptor) const {
        const auto found = std::find_if(descriptors.begin(), descriptors.end(),
                                        [=](const pollfd& p) { return p.fd == descriptor; });
        return static_cast<std::size_t>(found - descriptors.begin());
    }
};

namespace {

short events_of(Want want) {
    return want == Want::input ? POLLIN : static_cast<short>(POLLIN | POLLOUT);
}

}  // namespace

Poller::Poller() : impl_{std::make_unique<Impl>()} {}
Poller::~Poller() = default;

void Poller::add(int descriptor, Token token, Want want) {
    impl_->descriptors.push_back({descriptor, events_of(want), 0});
    impl_->tokens.push_back(token);
}

void Poller::change(int descriptor, Token, Want want) {
    impl_->descriptors[impl_->place_of(descriptor)].events = events_of(want);
}

void Poller::remove(int descriptor) {
    const std::size_t place = impl_->place_of(descriptor);
    impl_->descriptors[place] = impl_->descriptors.back();
    impl_->tokens[place] = impl_->tokens.back();
    impl_->descriptors.pop_back();
    impl_->tokens.pop_back();
}

const std::vector<Poller::Ready>& Poller::wait(std::optional<Clock::time_point> until) {
    ready_.clear();
    const int count = poll(impl_->descriptors.data(),
                           static_cast<nfds_t>(impl_->descriptors.size()), timeout_ms(until));
    if (count < 0 && errno != EINTR) fail("poll");
    for (std::size_t i = 0; count > 0 && i < impl_->descriptors.size(); ++i) {
        const int events = impl_->descriptors[i].revents;
        if (events != 0) ready_.push_back({impl_->tokens[i], (events & ~POLLOUT) != 0});
    }
    return ready_;
}

#endif

}  // namespace gpumuster::sim
