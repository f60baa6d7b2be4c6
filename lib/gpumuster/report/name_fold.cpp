#include "gpumuster/report/name_fold.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <map>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace gpumuster {
namespace {

constexpr std::string_view digits_set = "0123456789";
constexpr std::size_t longest_number = 18;  // digits; fits 64 bits

std::uint64_t number_of(std::string_view digits) {
    std::uint64_t number = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), number);
    return number;
}

// The part of a name in which its number is looked for.
std::string_view numbered_part(std::string_view name) {
    const std::string_view host = name.substr(0, name.find(':'));
    const std::size_t at = host.rfind('@');
    const std::string_view bare = at == std::string_view::npos ? host : host.substr(at + 1);
    const bool is_ipv4 = bare.find_first_not_of("0123456789.") == std::string_view::npos;
    if (is_ipv4) return host;
    return host.substr(0, host.find('.', host.size() - bare.size()));
}

// Padding follows the low bound of a range.
std::string successor(std::string_view low, std::uint64_t number) {
    const std::size_t padding = low.size() > 1 && low.front() == '0' ? low.size() : 0;
    return fmt::format("{:0{}}", number + 1, padding);
}

// Numbers as "01-56", "58-60"; sorts them.
std::vector<std::string> runs_of(std::vector<std::string> numbers) {
    std::ranges::sort(numbers, {}, [](const std::string& digits) {
        return std::pair(number_of(digits), digits.size());
    });
    std::vector<std::string> runs;
    for (std::size_t low = 0; low < numbers.size();) {
        std::size_t high = low;
        while (high + 1 < numbers.size() &&
               numbers[high + 1] == successor(numbers[low], number_of(numbers[high]))) {
            ++high;
        }
        runs.push_back(low == high ? numbers[low] : numbers[low] + "-" + numbers[high]);
        low = high + 1;
    }
    return runs;
}

// Names that differ only in their number, or one name without a number.
struct NameKind {
    std::string prefix;
    std::string suffix;
    std::vector<std::string> numbers;
};

std::vector<NameKind> kinds_of(const std::vector<std::string>& names) {
    std::vector<NameKind> kinds;
    std::map<std::pair<std::string, std::string>, std::size_t> known;
    for (const std::string& name : names) {
        auto parts = split_numbered_name(name);
        if (!parts) {
            kinds.push_back({name, {}, {}});
            continue;
        }
        const auto [entry, is_new] =
            known.try_emplace({parts->prefix, parts->suffix}, kinds.size());
        if (is_new) kinds.push_back({parts->prefix, parts->suffix, {}});
        kinds[entry->second].numbers.push_back(std::move(parts->digits));
    }
    return kinds;
}

std::string expression(const NameKind& kind, const std::string& runs) {
    const bool is_one_name = runs.find_first_of(",-") == std::string::npos;
    if (is_one_name) return kind.prefix + runs + kind.suffix;
    return kind.prefix + "[" + runs + "]" + kind.suffix;
}

std::vector<std::string> expressions_of(const NameKind& kind, std::size_t max_width) {
    std::vector<std::string> expressions;
    std::string runs;
    for (const std::string& run : runs_of(kind.numbers)) {
        const std::string longer = runs.empty() ? run : runs + "," + run;
        if (!runs.empty() && expression(kind, longer).size() > max_width) {
            expressions.push_back(expression(kind, runs));
            runs = run;
        } else {
            runs = longer;
        }
    }
    expressions.push_back(expression(kind, runs));
    return expressions;
}

}  // namespace

std::optional<NumberedName> split_numbered_name(const std::string& name) {
    const bool is_ipv6 = std::ranges::count(name, ':') > 1;
    if (is_ipv6 || name.find_first_of("[],") != std::string::npos) return {};
    const std::string_view part = numbered_part(name);
    const std::size_t last = part.find_last_of(digits_set);
    if (last == std::string_view::npos) return {};
    const std::size_t before = part.find_last_not_of(digits_set, last);
    const std::size_t first = before == std::string_view::npos ? 0 : before + 1;
    if (last - first >= longest_number) return {};
    return NumberedName{name.substr(0, first), name.substr(first, last + 1 - first),
                        name.substr(last + 1)};
}

std::vector<std::string> fold_names(const std::vector<std::string>& names, std::size_t max_width) {
    std::vector<std::string> lines;
    for (const NameKind& kind : kinds_of(names)) {
        for (std::string& text : expressions_of(kind, max_width)) {
            if (!lines.empty() && lines.back().size() + 1 + text.size() <= max_width) {
                lines.back() += "," + text;
            } else {
                lines.push_back(std::move(text));
            }
        }
    }
    return lines;
}

}  // namespace gpumuster
