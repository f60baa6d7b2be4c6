#include "gpumuster/transport/loop/offload.hpp"

#include <atomic>
#include <future>
#include <memory>
#include <thread>
#include <vector>

#include "support/catch.hpp"

using gpumuster::Offload;

TEST_CASE("every job runs, with at most the given number at a time") {
    std::atomic<int> running{0};
    std::atomic<int> most{0};
    std::atomic<int> left{200};
    std::promise<void> all_done;
    Offload pool(3);
    for (int i = 0; i < 200; ++i) {
        pool.submit([&] {
            const int now = ++running;
            int seen = most;
            while (now > seen && !most.compare_exchange_weak(seen, now)) {
            }
            std::this_thread::yield();
            --running;
            if (--left == 0) all_done.set_value();
        });
    }
    all_done.get_future().wait();
    CHECK(most <= 3);
    CHECK(most >= 1);
}

TEST_CASE("a pool whose threads are stuck goes away without waiting for them") {
    auto release = std::make_shared<std::promise<void>>();
    std::shared_future<void> released = release->get_future().share();
    auto begun = std::make_shared<std::promise<void>>();
    auto ended = std::make_shared<std::promise<void>>();
    std::future<void> has_ended = ended->get_future();
    {
        Offload pool(1);
        pool.submit([released, begun, ended] {
            begun->set_value();
            released.wait();
            ended->set_value();
        });
        begun->get_future().wait();
    }
    release->set_value();
    has_ended.wait();
    SUCCEED("the pool was gone before the job ended");
}
