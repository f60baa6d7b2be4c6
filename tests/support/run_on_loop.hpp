#pragma once

#include <exception>
#include <optional>
#include <utility>

#include <asio/awaitable.hpp>
#include <asio/co_spawn.hpp>
#include <asio/io_context.hpp>

namespace gpumuster::test {

// Runs one coroutine to its end on `context` and returns its value; an exception in it is thrown
// here.
template <class T>
T run_on(asio::io_context& context, asio::awaitable<T> coroutine) {
    std::optional<T> result;
    std::exception_ptr error;
    asio::co_spawn(context, std::move(coroutine), [&](std::exception_ptr thrown, T value) {
        error = thrown;
        result.emplace(std::move(value));
    });
    context.restart();
    context.run();
    if (error) std::rethrow_exception(error);
    return std::move(*result);
}

}  // namespace gpumuster::test
