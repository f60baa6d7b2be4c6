#pragma once

#include "command_line.hpp"
#include "environment.hpp"

namespace gpumuster {

// Decided once per run. `automatic` means colour on a terminal that is not TERM=dumb, unless
// NO_COLOR is set; the user's own `always` or `never` wins over all of that.
Colour decide_colour(ColourWish wish, const Environment& environment, bool stdout_is_terminal);

}  // namespace gpumuster
