#pragma once

#include <string>
#include <string_view>

#include "gpumuster/report/render.hpp"
#include "gpumuster/verdict/verdict.hpp"

namespace gpumuster {

// `text` in the colour of a verdict, as ANSI sequences: green, yellow or red. Unchanged with
// colour off.
std::string painted(std::string_view text, Verdict verdict, Colour colour);

}  // namespace gpumuster
