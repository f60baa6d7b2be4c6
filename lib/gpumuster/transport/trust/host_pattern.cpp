#include "gpumuster/transport/trust/host_pattern.hpp"

#include <algorithm>

namespace gpumuster {
namespace {

// Linear in the product of the lengths: on a mismatch only the last `*` takes one character more.
bool matches_pattern(std::string_view name, std::string_view pattern) {
    std::size_t n = 0;
    std::size_t p = 0;
    std::size_t star = std::string_view::npos;
    std::size_t resume = 0;
    while (n < name.size()) {
        if (p < pattern.size() && pattern[p] == '*') {
            star = p++;
            resume = n;
        } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == name[n])) {
            ++n;
            ++p;
        } else if (star != std::string_view::npos) {
            p = star + 1;
            n = ++resume;
        } else {
            return false;
        }
    }
    while (p < pattern.size() && pattern[p] == '*') ++p;
    return p == pattern.size();
}

}  // namespace

std::string lower_case(std::string_view text) {
    std::string lowered(text);
    std::transform(lowered.begin(), lowered.end(), lowered.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    return lowered;
}

bool is_pattern_list(std::string_view patterns) {
    return patterns.find_first_of("*?!") != std::string_view::npos;
}

bool matches_pattern_list(std::string_view name, std::string_view patterns) {
    const std::string lowered_name = lower_case(name);
    const std::string lowered = lower_case(patterns);
    bool is_matched = false;
    std::string_view rest = lowered;
    while (!rest.empty()) {
        const std::size_t comma = std::min(rest.find(','), rest.size());
        std::string_view pattern = rest.substr(0, comma);
        rest.remove_prefix(std::min(comma + 1, rest.size()));
        const bool is_negated = !pattern.empty() && pattern.front() == '!';
        if (is_negated) pattern.remove_prefix(1);
        if (!matches_pattern(lowered_name, pattern)) continue;
        if (is_negated) return false;
        is_matched = true;
    }
    return is_matched;
}

}  // namespace gpumuster
