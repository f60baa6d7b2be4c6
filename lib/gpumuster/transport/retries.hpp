#pragma once

#include <chrono>
#include <functional>
#include <optional>

#include "gpumuster/base/failure.hpp"

namespace gpumuster {

// Whether an sshd that did not let one in is tried again: twice at most, after a pause that grows,
// and only where it dropped the connection before any credential was sent.
class Retries {
public:
    // Between 0 and 1, to spread the pauses; empty: no spread.
    using Jitter = std::function<double()>;
    explicit Retries(const Jitter& jitter) : jitter_(jitter) {}

    static bool was_dropped(const Failure& failure) {
        return failure_info(failure.kind).retry == Retry::before_credentials;
    }

    // How long to wait before the next attempt; empty: there is none.
    std::optional<std::chrono::milliseconds> pause_after(const Failure& failure);

private:
    const Jitter& jitter_;
    int attempts_ = 0;
};

}  // namespace gpumuster
