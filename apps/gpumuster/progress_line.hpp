#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>

#include "gpumuster/fleet/fleet.hpp"

namespace gpumuster {

// "12/64 hosts, 2 not clean"
std::string progress_text(std::size_t done, std::size_t total, std::size_t not_clean);

// A live counter on a terminal, one line that is overwritten and gone when the object is: from
// `delay` after its making on, so that a quick run shows none.
class ProgressLine : public FleetObserver {
public:
    ProgressLine(int descriptor, std::size_t total, std::chrono::milliseconds delay);
    ~ProgressLine() override;
    ProgressLine(const ProgressLine&) = delete;
    ProgressLine& operator=(const ProgressLine&) = delete;

    void host_done(const HostReport& report, std::size_t done, std::size_t total) override;

private:
    // With the mutex held.
    void draw();
    // The first line, though no host may be done by then.
    void draw_first(const std::stop_token& stop);

    const int descriptor_;
    const std::size_t total_;
    const std::chrono::steady_clock::time_point visible_from_;

    std::mutex mutex_;
    std::condition_variable_any changed_;
    std::size_t done_ = 0;
    std::size_t not_clean_ = 0;
    std::size_t drawn_width_ = 0;
    std::jthread first_draw_;  // last: it uses all of the above
};

}  // namespace gpumuster
