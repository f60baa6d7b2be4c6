#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace gpumuster {

// A host name around its last number: "node07.example" is "node", "07", ".example". In a domain
// name the number is looked for in the first label, in an IPv4 address it is the last byte.
struct NumberedName {
    std::string prefix;
    std::string digits;
    std::string suffix;
};

// Empty when the name holds no such number.
std::optional<NumberedName> split_numbered_name(const std::string& name);

// Names as range expressions, `node[01-56,58-60],edge7`, in lines of at most `max_width` bytes
// (a single name may be longer). Kinds of names keep their order, numbers are sorted; every line
// expands to exactly its names by the rules of expand_host_range.
std::vector<std::string> fold_names(const std::vector<std::string>& names, std::size_t max_width);

}  // namespace gpumuster
