#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "gpumuster/base/safe_text.hpp"

namespace gpumuster {

// Keys keep the order in which they were set.
using Json = nlohmann::ordered_json;

// Every text of a report, so that no byte from outside can make the document invalid.
inline Json json_text(std::string_view bytes) {
    return make_safe(bytes);
}

// No value is null.
inline Json json_text_if(const std::optional<std::string>& bytes) {
    return bytes ? json_text(std::string_view(*bytes)) : Json();
}

template <class T>
Json json_number(const std::optional<T>& value) {
    return value ? Json(*value) : Json();
}

}  // namespace gpumuster
