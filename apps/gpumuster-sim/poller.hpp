#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace gpumuster::sim {

enum class Want { input, input_and_output };

// Waits on many descriptors at once, level-triggered: epoll on Linux, poll elsewhere. Knows each
// descriptor by the token it was added with. Used by one thread.
class Poller {
public:
    using Token = std::uint64_t;
    using Clock = std::chrono::steady_clock;

    Poller();  // throws std::system_error
    ~Poller();
    Poller(const Poller&) = delete;
    Poller& operator=(const Poller&) = delete;

    void add(int descriptor, Token token, Want want = Want::input);
    void change(int descriptor, Token token, Want want);

    // While it is still open: a closed descriptor may already be another's number.
    void remove(int descriptor);

    struct Ready {
        Token token = 0;
        bool has_input = false;  // or has ended, or broken
    };

    // Those that are ready; none when `until` passed or a signal came. The result is good until
    // the next call.
    const std::vector<Ready>& wait(std::optional<Clock::time_point> until);

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
    std::vector<Ready> ready_;
};

}  // namespace gpumuster::sim
