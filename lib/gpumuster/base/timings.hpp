#pragma once

#include <array>
#include <chrono>
#include <optional>

#include "gpumuster/base/failure.hpp"

namespace gpumuster {

// How long each stage of a visit took. A stage that was not entered has no value.
class Timings {
public:
    using Duration = std::chrono::microseconds;

    std::optional<Duration> of(Stage stage) const { return spent_[index(stage)]; }
    void add(Stage stage, Duration duration) {
        auto& slot = spent_[index(stage)];
        slot = slot.value_or(Duration::zero()) + duration;
    }
    Duration total() const {
        Duration sum{0};
        for (const auto& slot : spent_) sum += slot.value_or(Duration::zero());
        return sum;
    }

private:
    static std::size_t index(Stage stage) { return static_cast<std::size_t>(stage); }
    std::array<std::optional<Duration>, stage_count> spent_{};
};

// The stopwatch of one visit: knows the stage the visit is in and adds up the time of each.
// Belongs to one visit and is used on its loop only.
class StageClock {
public:
    using Clock = std::chrono::steady_clock;

    // Closes the stage before it, if any. Entering the current stage again changes nothing.
    void enter(Stage stage) {
        if (current_ == stage) return;
        leave();
        current_ = stage;
        last_ = stage;
        since_ = Clock::now();
    }
    void leave() {
        if (!current_) return;
        timings_.add(*current_,
                     std::chrono::duration_cast<Timings::Duration>(Clock::now() - since_));
        current_.reset();
    }
    std::optional<Stage> current() const { return current_; }
    // The stage that was entered last, left or not; empty before the first.
    std::optional<Stage> last() const { return last_; }
    const Timings& timings() const { return timings_; }

private:
    Timings timings_;
    std::optional<Stage> current_;
    std::optional<Stage> last_;
    Clock::time_point since_{};
};

}  // namespace gpumuster
