#pragma once

#include "gpumuster/probe/probe.hpp"

namespace gpumuster {

// The only chance in the program; from any thread. Tests pass in what they want instead.

// A marker that no remote text can guess.
Marker random_marker();

// Between 0 and 1.
double random_share();

}  // namespace gpumuster
