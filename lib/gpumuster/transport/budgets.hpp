#pragma once

#include <chrono>
#include <optional>

namespace gpumuster {

// How long each stage may take before it is given up. No stage is unbounded.
struct Budgets {
    std::chrono::milliseconds resolve{5'000};
    std::chrono::milliseconds connect{10'000};
    std::chrono::milliseconds handshake{10'000};
    std::chrono::milliseconds auth{15'000};
    std::chrono::milliseconds channel{10'000};
    // A healthy 8-GPU host without persistence mode can need 30 s for its first query.
    std::chrono::milliseconds command{60'000};
};

// `base` with a connect timeout that scales resolve, connect and handshake in their proportion,
// and a command timeout. Neither given: `base`.
Budgets scaled(const Budgets& base, std::optional<std::chrono::milliseconds> connect_timeout,
               std::optional<std::chrono::milliseconds> command_timeout);

}  // namespace gpumuster
