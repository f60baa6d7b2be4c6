#pragma once

#include <signal.h>

#include <atomic>
#include <stop_token>
#include <thread>

namespace gpumuster {

// SIGINT and SIGTERM as a stop token, for as long as the object lives: the first one requests
// stop, the second one ends the process at once with status 130. Made before any other thread, so
// that all of them inherit the blocked signals and only the one in here takes them. A signal that
// the process was started with as ignored (nohup, a shell's background jobs) stays ignored.
class StopSignals {
public:
    StopSignals();
    ~StopSignals();
    StopSignals(const StopSignals&) = delete;
    StopSignals& operator=(const StopSignals&) = delete;

    std::stop_token token() const { return source_.get_token(); }

private:
    void listen();

    std::stop_source source_;
    std::atomic<bool> is_closing_{false};
    sigset_t signals_{};
    sigset_t mask_before_{};
    std::thread listener_;
};

}  // namespace gpumuster
