#include "gpumuster/transport/loop/signal.hpp"

#include <asio/redirect_error.hpp>
#include <asio/use_awaitable.hpp>

namespace gpumuster {

asio::awaitable<Wake> Signal::wait(Deadline deadline) {
    if (!is_cancelled_ && !is_notified_) {
        timer_.expires_at(deadline);
        std::error_code ignored;  // aborted or expired: the flags below tell which
        co_await timer_.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
    }
    if (is_cancelled_) co_return Wake::cancelled;
    if (is_notified_) {
        is_notified_ = false;
        co_return Wake::ready;
    }
    co_return Wake::deadline;
}

void Signal::notify() {
    is_notified_ = true;
    timer_.cancel();
}

void Signal::cancel() {
    is_cancelled_ = true;
    timer_.cancel();
}

}  // namespace gpumuster
