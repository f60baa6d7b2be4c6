#include "gpumuster/transport/loop/pause.hpp"

#include <functional>
#include <utility>

#include <asio/this_coro.hpp>

namespace gpumuster {

asio::awaitable<Wake> pause_until(Deadline moment, std::stop_token cancel) {
    const asio::any_io_executor executor = co_await asio::this_coro::executor;
    Signal signal(executor);
    const std::stop_callback on_cancel(std::move(cancel), [&signal] { signal.cancel(); });
    co_return co_await signal.wait(moment);
}

}  // namespace gpumuster
