#include "gpumuster/transport/loop/loops.hpp"

#include <asio/post.hpp>

namespace gpumuster {

Loops::Loops(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
        loops_.push_back(std::make_unique<Loop>());
        Loop& loop = *loops_.back();
        guards_.push_back(asio::make_work_guard(loop.context));
        loop.thread = std::thread([&loop] { loop.context.run(); });
    }
}

Loops::~Loops() {
    guards_.clear();
    for (const auto& loop : loops_) loop->thread.join();
}

void Loops::request_stop() {
    for (const auto& loop : loops_) {
        asio::post(loop->context, [&one = *loop] { one.stop.request_stop(); });
    }
}

}  // namespace gpumuster
