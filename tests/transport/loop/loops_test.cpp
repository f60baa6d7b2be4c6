#include "gpumuster/transport/loop/loops.hpp"

#include <future>
#include <thread>

#include <asio/post.hpp>

#include "support/catch.hpp"

using gpumuster::Loops;

TEST_CASE("each loop has a thread of its own, and its stop callbacks run there") {
    Loops loops(2);
    REQUIRE(loops.size() == 2);
    std::promise<std::thread::id> first;
    std::promise<std::thread::id> second;
    asio::post(loops.context(0), [&] { first.set_value(std::this_thread::get_id()); });
    asio::post(loops.context(1), [&] { second.set_value(std::this_thread::get_id()); });
    const std::thread::id first_thread = first.get_future().get();
    CHECK(first_thread != second.get_future().get());

    std::promise<std::thread::id> stopped;
    const std::stop_callback on_stop(loops.stop_token(0),
                                     [&] { stopped.set_value(std::this_thread::get_id()); });
    loops.request_stop();
    CHECK(stopped.get_future().get() == first_thread);
}
