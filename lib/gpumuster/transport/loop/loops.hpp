#pragma once

#include <cstddef>
#include <memory>
#include <stop_token>
#include <thread>
#include <vector>

#include <asio/executor_work_guard.hpp>
#include <asio/io_context.hpp>

namespace gpumuster {

// One single-threaded io_context per core, each with a stop source of its own whose callbacks run
// on that loop's thread. A session belongs to the loop that it was opened on.
class Loops {
public:
    explicit Loops(std::size_t count);
    // Joins; every coroutine must have ended.
    ~Loops();
    Loops(const Loops&) = delete;
    Loops& operator=(const Loops&) = delete;

    std::size_t size() const { return loops_.size(); }
    asio::io_context& context(std::size_t index) { return loops_[index]->context; }

    // Loop thread only.
    std::stop_token stop_token(std::size_t index) { return loops_[index]->stop.get_token(); }

    // Requests stop on each loop, on its thread. Thread-safe, returns at once.
    void request_stop();

private:
    struct Loop {
        asio::io_context context{1};
        std::stop_source stop;
        std::thread thread;
    };
    std::vector<std::unique_ptr<Loop>> loops_;
    std::vector<asio::executor_work_guard<asio::io_context::executor_type>> guards_;
};

}  // namespace gpumuster
