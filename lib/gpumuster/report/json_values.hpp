#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

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

inline Json json_texts(const std::vector<std::string>& texts) {
    Json list = Json::array();
    for (const std::string& text : texts) list.push_back(json_text(text));
    return list;
}

template <class T>
Json json_number(const std::optional<T>& value) {
    return value ? Json(*value) : Json();
}

}  // namespace gpumuster
