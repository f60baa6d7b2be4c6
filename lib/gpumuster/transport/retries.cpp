#include "gpumuster/transport/retries.hpp"

namespace gpumuster {
namespace {

constexpr int most_attempts = 3;
constexpr std::chrono::milliseconds shortest_pause{200};

}  // namespace

std::optional<std::chrono::milliseconds> Retries::pause_after(const Failure& failure) {
    if (!was_dropped(failure) || ++attempts_ == most_attempts) return std::nullopt;
    const auto spread = shortest_pause * ((1 << attempts_) - 1);
    const double share = jitter_ ? jitter_() : 0.5;
    return shortest_pause + std::chrono::duration_cast<std::chrono::milliseconds>(spread * share);
}

}  // namespace gpumuster
