#include "gpumuster-sim/scenario.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "gpumuster/base/units.hpp"

namespace gpumuster::sim {

Scenario clean_scenario(int count, std::chrono::milliseconds latency) {
    const std::size_t width = std::max<std::size_t>(2, std::to_string(count).size());
    Scenario scenario;
    scenario.hosts.reserve(static_cast<std::size_t>(count));
    for (int i = 1; i <= count; ++i) {
        SimulatedHost host;
        host.name = fmt::format("node{:0{}}", i, width);
        host.latency = latency;
        scenario.hosts.push_back(std::move(host));
    }
    return scenario;
}

std::optional<std::chrono::milliseconds> parse_latency(std::string_view text) {
    if (text == "0" || text == "0ms" || text == "0s") return std::chrono::milliseconds{0};
    return parse_duration(text);
}

}  // namespace gpumuster::sim
