#include "gpumuster/inventory/container_words.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace gpumuster {
namespace {

bool is_letter_or_digit(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool is_docker_character(char c) {
    return is_letter_or_digit(c) || c == '_' || c == '.' || c == '-';
}

}  // namespace

std::optional<std::string> docker_name_fault(std::string_view text) {
    const bool is_name = !text.empty() && is_letter_or_digit(text.front()) &&
                         std::all_of(text.begin(), text.end(), is_docker_character);
    if (is_name) return {};
    return "is no name of a container: letters, digits, '_', '.', '-', the first a letter or a "
           "digit";
}

std::optional<std::string> entry_word_fault(std::string_view text) {
    if (text.empty()) return "is empty";
    for (const char c : text) {
        if (c < 0x20 || c > 0x7e) return "has a character that is not printable ASCII";
        if (c == '!' || c == '\\') {
            return fmt::format("has a '{}', which not every login shell hands on", c);
        }
    }
    return {};
}

}  // namespace gpumuster
