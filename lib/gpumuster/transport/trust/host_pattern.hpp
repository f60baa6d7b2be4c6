#pragma once

#include <string>
#include <string_view>

namespace gpumuster {

// OpenSSH's pattern lists: comma-separated, `*` any run, `?` one character, `!` negates. A negated
// match anywhere in the list decides against, whatever else matches. Case is ignored.
bool matches_pattern_list(std::string_view name, std::string_view patterns);

// Whether a names field is more than plain names: it holds `*`, `?` or `!`.
bool is_pattern_list(std::string_view patterns);

std::string lower_case(std::string_view text);

}  // namespace gpumuster
