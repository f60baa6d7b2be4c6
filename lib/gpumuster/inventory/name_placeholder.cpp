#include "gpumuster/inventory/name_placeholder.hpp"

namespace gpumuster {

bool has_name_placeholder(std::string_view text) {
    return text.find(name_placeholder) != std::string_view::npos;
}

std::string with_name(std::string text, std::string_view name) {
    for (std::size_t at = text.find(name_placeholder); at != std::string::npos;
         at = text.find(name_placeholder, at + name.size())) {
        text.replace(at, name_placeholder.size(), name);
    }
    return text;
}

}  // namespace gpumuster
