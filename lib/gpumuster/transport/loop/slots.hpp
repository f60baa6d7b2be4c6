#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <memory>
#include <stop_token>
#include <utility>

#include <asio/awaitable.hpp>
#include <asio/this_coro.hpp>

#include "gpumuster/transport/loop/signal.hpp"

namespace gpumuster {

// A bounded number of places, given out in the order of asking. One loop's.
class Slots {
public:
    explicit Slots(std::size_t limit) : limit_(limit) {}
    Slots(const Slots&) = delete;
    Slots& operator=(const Slots&) = delete;

    // A place, given back when it goes; the Slots outlive it.
    class Slot {
    public:
        Slot() = default;
        explicit Slot(Slots& slots) : slots_(&slots) {}
        Slot(Slot&& other) noexcept : slots_(std::exchange(other.slots_, nullptr)) {}
        Slot& operator=(Slot&& other) noexcept {
            if (this != &other) {
                leave();
                slots_ = std::exchange(other.slots_, nullptr);
            }
            return *this;
        }
        ~Slot() { leave(); }

        bool is_held() const { return slots_ != nullptr; }
        void leave() {
            if (slots_ != nullptr) std::exchange(slots_, nullptr)->give_back();
        }

    private:
        Slots* slots_ = nullptr;
    };

    // Waits for a place. Not held when cancelled.
    asio::awaitable<Slot> enter(std::stop_token cancel) {
        const asio::any_io_executor executor = co_await asio::this_coro::executor;
        const auto waiter = std::make_shared<Waiter>(executor);
        waiters_.push_back(waiter);
        admit();
        if (!waiter->has_place) {
            const std::stop_callback on_cancel(std::move(cancel),
                                               [waiter] { waiter->signal.cancel(); });
            co_await waiter->signal.wait(Deadline::max());
        }
        std::erase(waiters_, waiter);
        if (!waiter->has_place) co_return Slot();
        co_return Slot(*this);
    }

    std::size_t used() const { return used_; }

    // Gives out fewer places from now on, at least one.
    void lower_to(std::size_t limit) { limit_ = std::clamp<std::size_t>(limit, 1, limit_); }

private:
    struct Waiter {
        explicit Waiter(const asio::any_io_executor& executor) : signal(executor) {}
        Signal signal;
        bool has_place = false;
    };

    void give_back() {
        --used_;
        admit();
    }
    void admit() {
        while (used_ < limit_ && !waiters_.empty()) {
            const std::shared_ptr<Waiter> waiter = waiters_.front();
            waiters_.pop_front();
            ++used_;
            waiter->has_place = true;
            waiter->signal.notify();
        }
    }

    std::size_t limit_;
    std::size_t used_ = 0;
    std::deque<std::shared_ptr<Waiter>> waiters_;
};

}  // namespace gpumuster
