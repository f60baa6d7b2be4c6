#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "gpumuster/base/failure.hpp"

namespace gpumuster {

// A jump host that refuses to open a connection: what it says about itself stands at the hop, with
// a text that is the same for every target, what it says about the target at the target. `text` is
// libssh's, "Channel opening failure: channel 43 error (2) Connection refused"; the one place that
// reads it.
Failure refused_opening(const std::string& text, const HopRef& hop, const HopRef& target,
                        const std::string& address, std::uint16_t port);

// The hop has not answered within the budget, as when the target swallows what the hop sends it.
Failure unanswered_opening(const HopRef& hop, const HopRef& target, const std::string& address,
                           std::uint16_t port, std::chrono::milliseconds budget);

}  // namespace gpumuster
