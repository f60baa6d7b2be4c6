#include "gpumuster/inventory/yaml_text.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

#include "gpumuster/base/safe_text.hpp"

namespace gpumuster {
namespace {

constexpr std::array<std::string_view, 10> keywords{"true", "false", "yes",  "no",    "on",
                                                    "off",  ".nan",  ".inf", "-.inf", "+.inf"};

char lower(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool is_keyword(const YamlNode& scalar) {
    if (scalar.style != YamlNode::Style::plain) return false;
    std::string word = scalar.text;
    std::transform(word.begin(), word.end(), word.begin(), lower);
    return std::find(keywords.begin(), keywords.end(), word) != keywords.end();
}

bool is_printable(std::string_view text) {
    constexpr std::size_t longest_escape = 8;
    return make_safe(text, text.size() * longest_escape) == text;
}

}  // namespace

std::optional<std::string> yaml_text_fault(const YamlNode& scalar) {
    if (scalar.text.empty()) return "is empty";
    if (is_keyword(scalar)) return "is no text in YAML unless it stands in quotes";
    if (!is_printable(scalar.text)) return "has characters that cannot be printed";
    return {};
}

}  // namespace gpumuster
