#include "gpumuster/base/nearest.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace gpumuster {
namespace {

std::string lower(std::string_view text) {
    std::string out{text};
    for (char& c : out) {
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    }
    return out;
}

// Optimal string alignment: the edits insert, delete, replace and swap of two neighbours.
class EditDistance {
public:
    std::size_t operator()(std::string_view a, std::string_view b) {
        before_last_.assign(b.size() + 1, 0);
        last_.assign(b.size() + 1, 0);
        current_.resize(b.size() + 1);
        for (std::size_t j = 0; j <= b.size(); ++j) last_[j] = j;
        for (std::size_t i = 1; i <= a.size(); ++i) {
            fill_row(a, b, i);
            std::swap(before_last_, last_);
            std::swap(last_, current_);
        }
        return last_[b.size()];
    }

private:
    void fill_row(std::string_view a, std::string_view b, std::size_t i) {
        current_[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t replaced = last_[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
            current_[j] = std::min({last_[j] + 1, current_[j - 1] + 1, replaced});
            const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (swapped) current_[j] = std::min(current_[j], before_last_[j - 2] + 1);
        }
    }

    std::vector<std::size_t> before_last_, last_,
        current_;  // kept: one candidate allocates nothing
};

std::size_t length_difference(std::string_view a, std::string_view b) {
    return a.size() > b.size() ? a.size() - b.size() : b.size() - a.size();
}

}  // namespace

std::optional<std::string> nearest(std::string_view word, std::span<const std::string> candidates) {
    if (word.empty()) return {};
    const std::string wanted = lower(word);
    const std::size_t farthest = std::max<std::size_t>(1, word.size() / 3);
    EditDistance edit_distance;
    const std::string* best = nullptr;
    std::size_t best_distance = farthest + 1;
    for (const std::string& candidate : candidates) {
        if (length_difference(word, candidate) >= best_distance) continue;
        const std::size_t distance = edit_distance(wanted, lower(candidate));
        // A word of one letter is one edit away from every other one.
        const bool has_something_in_common = distance < std::max(word.size(), candidate.size());
        if (distance < best_distance && has_something_in_common) {
            best = &candidate;
            best_distance = distance;
        }
    }
    if (best == nullptr) return {};
    return *best;
}

std::string did_you_mean(std::string_view word, std::span<const std::string> candidates) {
    const auto meant = nearest(word, candidates);
    return meant ? fmt::format("; did you mean \"{}\"?", *meant) : std::string{};
}

}  // namespace gpumuster
