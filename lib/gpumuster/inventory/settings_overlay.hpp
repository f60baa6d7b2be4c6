#pragma once

#include "gpumuster/inventory/host.hpp"

namespace gpumuster {

// Lays `upper` over `settings`: what upper says wins, key by key, and label by label; a list of
// files or of hops, and a container, replaces the other as a whole.
void overlay(HostSettings& settings, const HostSettings& upper);

}  // namespace gpumuster
