#pragma once

#include <stop_token>

#include <asio/awaitable.hpp>

#include "gpumuster/transport/loop/signal.hpp"

namespace gpumuster {

// Waits for a moment. `deadline` when it has come, `cancelled` when stop was requested before, on
// this loop's thread.
asio::awaitable<Wake> pause_until(Deadline moment, std::stop_token cancel);

}  // namespace gpumuster
