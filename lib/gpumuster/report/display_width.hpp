#pragma once

#include <cstddef>
#include <string_view>

namespace gpumuster {

// The columns that a line of safe UTF-8 text takes on a terminal: wide East Asian characters and
// emoji take two, combining marks none. Independent of the locale, unlike wcwidth.
std::size_t display_width(std::string_view text);

}  // namespace gpumuster
