#pragma once

#include <chrono>

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>
#include <asio/steady_timer.hpp>

namespace gpumuster {

using Deadline = std::chrono::steady_clock::time_point;

// Why a wait ended.
enum class Wake { ready, deadline, cancelled };

// One coroutine waits, somebody else on the same loop wakes it. One timer per object, no exception
// and no allocation per wait. A notify() without a waiter is kept for the next wait; a cancel() is
// kept for ever. Loop thread only.
class Signal {
public:
    explicit Signal(const asio::any_io_executor& executor) : timer_(executor) {}

    asio::awaitable<Wake> wait(Deadline deadline);
    void notify();
    void cancel();

    // Forgets a notify() that nobody waited for.
    void clear() { is_notified_ = false; }
    bool is_cancelled() const { return is_cancelled_; }

private:
    asio::steady_timer timer_;
    bool is_notified_ = false;
    bool is_cancelled_ = false;
};

}  // namespace gpumuster
