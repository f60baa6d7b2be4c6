#include "colour.hpp"

namespace gpumuster {

Colour decide_colour(ColourWish wish, const Environment& environment, bool stdout_is_terminal) {
    if (wish == ColourWish::always) return Colour::on;
    if (wish == ColourWish::never || !stdout_is_terminal) return Colour::off;
    const bool is_unwanted =
        environment.variable("NO_COLOR") || environment.variable("TERM") == "dumb";
    return is_unwanted ? Colour::off : Colour::on;
}

}  // namespace gpumuster
