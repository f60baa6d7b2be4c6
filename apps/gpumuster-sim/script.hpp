#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace gpumuster::sim {

// One section of a script of gpumuster's: `b NAME;BODY;e NAME …`.
struct AskedSection {
    std::string_view name;
    std::string_view body;
    bool is_conditional = false;  // left out once nothing more may be asked of the driver
};

struct AskedScript {
    std::string_view marker;
    std::vector<AskedSection> sections;  // in their order
};

// Finds marker and sections in the text of an exec request, which everything then refers to.
// Empty when it is no such script: no word of 16 hexadecimal digits, or no section.
std::optional<AskedScript> read_script(std::string_view command);

}  // namespace gpumuster::sim
