#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gpumuster {

// A word of the user's for a message: in quotes, made safe, shortened when long.
std::string quoted(std::string_view word);

// Without the lists that hold nothing: what scripts hand over when there is nothing to exclude.
std::vector<std::string> without_blank_lists(std::span<const std::string> lists);

}  // namespace gpumuster
