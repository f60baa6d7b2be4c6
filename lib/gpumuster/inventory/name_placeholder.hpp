#pragma once

#include <string>
#include <string_view>

namespace gpumuster {

// In an address and in the name of a container, this stands for the name of each host.
inline constexpr std::string_view name_placeholder = "{name}";

bool has_name_placeholder(std::string_view text);

// `text` with every placeholder replaced.
std::string with_name(std::string text, std::string_view name);

}  // namespace gpumuster
