#pragma once

#include <string_view>

namespace gpumuster {

// Whether findings of this code are remarks about a host's way, whose evidence is each host's own.
bool is_of_remark(std::string_view code);

}  // namespace gpumuster
