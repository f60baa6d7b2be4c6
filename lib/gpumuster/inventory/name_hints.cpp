#include "gpumuster/inventory/name_hints.hpp"

#include <utility>

#include "gpumuster/base/nearest.hpp"

namespace gpumuster {

NameHints::NameHints(std::vector<std::string> names) : names_(std::move(names)) {}

std::string NameHints::for_word(std::string_view word) {
    if (words_left_ == 0) return {};
    --words_left_;
    return did_you_mean(word, names_);
}

}  // namespace gpumuster
