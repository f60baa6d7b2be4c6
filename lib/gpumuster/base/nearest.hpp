#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace gpumuster {

// The candidate that a mistyped word most likely meant: the smallest edit distance (a swap of two
// neighbours counts one), if it is small against the length of the word. Empty when none is near.
std::optional<std::string> nearest(std::string_view word, std::span<const std::string> candidates);

// `; did you mean "X"?` or nothing.
std::string did_you_mean(std::string_view word, std::span<const std::string> candidates);

}  // namespace gpumuster
