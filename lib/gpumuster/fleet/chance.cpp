#include "gpumuster/fleet/chance.hpp"

#include <random>

#include <fmt/format.h>

namespace gpumuster {

Marker random_marker() {
    std::random_device random;
    return Marker{fmt::format("{:08x}{:08x}", random(), random())};
}

double random_share() {
    thread_local std::minstd_rand engine{std::random_device{}()};
    return std::uniform_real_distribution<double>(0.0, 1.0)(engine);
}

}  // namespace gpumuster
