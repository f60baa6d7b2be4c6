#include "gpumuster/inventory/words.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "gpumuster/base/safe_text.hpp"

namespace gpumuster {

std::string quoted(std::string_view word) {
    return fmt::format("\"{}\"", quote_line(word, 80));
}

std::vector<std::string> without_blank_lists(std::span<const std::string> lists) {
    std::vector<std::string> kept;
    std::copy_if(lists.begin(), lists.end(), std::back_inserter(kept), [](const std::string& list) {
        return list.find_first_not_of(" \t") != std::string::npos;
    });
    return kept;
}

}  // namespace gpumuster
