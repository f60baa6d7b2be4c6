#include "gpumuster/transport/loop/signal.hpp"

#include <asio/post.hpp>

#include "support/catch.hpp"
#include "support/run_on_loop.hpp"

using namespace gpumuster;
using namespace std::chrono_literals;

namespace {

Deadline in(std::chrono::milliseconds duration) {
    return std::chrono::steady_clock::now() + duration;
}

}  // namespace

TEST_CASE("a wait without a notice ends at its deadline") {
    asio::io_context context;
    Signal signal(context.get_executor());
    CHECK(test::run_on(context, signal.wait(in(5ms))) == Wake::deadline);
}

TEST_CASE("a notice wakes the waiter long before the deadline") {
    asio::io_context context;
    Signal signal(context.get_executor());
    asio::post(context, [&] { signal.notify(); });
    CHECK(test::run_on(context, signal.wait(in(60s))) == Wake::ready);
}

TEST_CASE("a notice that came before the wait is kept, once") {
    asio::io_context context;
    Signal signal(context.get_executor());
    signal.notify();
    CHECK(test::run_on(context, signal.wait(in(60s))) == Wake::ready);
    CHECK(test::run_on(context, signal.wait(in(1ms))) == Wake::deadline);
}

TEST_CASE("a cancel ends the wait under way and every later one") {
    asio::io_context context;
    Signal signal(context.get_executor());
    asio::post(context, [&] { signal.cancel(); });
    CHECK(test::run_on(context, signal.wait(in(60s))) == Wake::cancelled);
    CHECK(test::run_on(context, signal.wait(in(60s))) == Wake::cancelled);
    signal.notify();
    CHECK(test::run_on(context, signal.wait(in(60s))) == Wake::cancelled);
}

TEST_CASE("a deadline that has passed still reports a notice") {
    asio::io_context context;
    Signal signal(context.get_executor());
    signal.notify();
    CHECK(test::run_on(context, signal.wait(in(-1s))) == Wake::ready);
}
