#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace gpumuster {

// Remote text is hostile until proven otherwise. Every function here returns valid UTF-8 without
// control characters (C0, DEL, C1) and without bidirectional overrides, so that it can stand in a
// terminal, a log or JSON.

// Control characters and bytes that are no UTF-8 become visible as \xNN, overrides as \u{202e}.
// At most `max_bytes` bytes of result; a cut is marked by "…".
std::string make_safe(std::string_view bytes, std::size_t max_bytes = 4096);

// One line for a message: make_safe with each run of white space as one blank and none at the
// ends.
std::string quote_line(std::string_view bytes, std::size_t max_bytes = 160);

}  // namespace gpumuster
