#include "gpumuster/inventory/host_range.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "gpumuster/inventory/host_name.hpp"
#include "gpumuster/inventory/words.hpp"

namespace gpumuster {
namespace {

using Names = std::vector<std::string>;
template <class T>
using OrPhrase = tl::expected<T, std::string>;

tl::unexpected<std::string> refused(std::string phrase) {
    return tl::unexpected<std::string>(std::move(phrase));
}

tl::unexpected<std::string> too_many(std::string_view expression) {
    return refused(fmt::format("{} names more than {} hosts, the most that are accepted",
                               quoted(expression), max_expanded_hosts));
}

std::optional<std::uint64_t> whole_number(std::string_view text) {
    // More digits than any host has, and few enough that no sum of two numbers overflows.
    constexpr std::size_t most_digits = 18;
    if (text.size() > most_digits) return {};
    std::uint64_t number = 0;
    const char* end = text.data() + text.size();
    const auto [after, error] = std::from_chars(text.data(), end, number);
    if (error != std::errc{} || after != end) return {};
    return number;
}

// "7", "001-128" or "10-20/2", its numbers padded to the width of the low bound.
struct NumberRange {
    std::uint64_t low = 0;
    std::uint64_t high = 0;
    std::uint64_t step = 1;
    std::size_t width = 0;

    std::uint64_t count() const { return (high - low) / step + 1; }
};

// What stands between the brackets of one range, for the messages.
std::string in_brackets(std::string_view content) {
    return quoted(fmt::format("[{}]", content));
}

OrPhrase<NumberRange> parse_number_range(std::string_view item, std::string_view content) {
    const auto not_numbers = [&] {
        return refused(fmt::format("range {} is not made of numbers such as 1-8, 001-128 or 0-10/2",
                                   in_brackets(content)));
    };
    const std::size_t slash = item.find('/');
    const std::string_view bounds = item.substr(0, slash);
    const std::size_t dash = bounds.find('-');
    const std::string_view low_text = bounds.substr(0, dash);

    NumberRange range;
    const auto low = whole_number(low_text);
    const auto high = dash == std::string_view::npos ? low : whole_number(bounds.substr(dash + 1));
    if (!low || !high) return not_numbers();
    range.low = *low;
    range.high = *high;
    range.width = low_text.size();
    if (range.high < range.low) {
        return refused(fmt::format("range {} runs backwards", in_brackets(content)));
    }
    if (slash == std::string_view::npos) return range;
    const auto step = whole_number(item.substr(slash + 1));
    if (!step || dash == std::string_view::npos) return not_numbers();
    if (*step == 0) return refused(fmt::format("range {} has a step of 0", in_brackets(content)));
    range.step = *step;
    return range;
}

// The numbers of one pair of brackets.
OrPhrase<Names> expand_brackets(std::string_view content, std::string_view expression) {
    if (content.empty()) return refused("range \"[]\" is empty");
    Names numbers;
    std::string_view rest = content;
    while (true) {
        const std::size_t comma = rest.find(',');
        const auto range = parse_number_range(rest.substr(0, comma), content);
        if (!range) return refused(range.error());
        if (range->count() > max_expanded_hosts - numbers.size()) return too_many(expression);
        for (std::uint64_t i = 0; i < range->count(); ++i) {
            numbers.push_back(fmt::format("{:0{}}", range->low + i * range->step, range->width));
        }
        if (comma == std::string_view::npos) return numbers;
        rest.remove_prefix(comma + 1);
    }
}

// One step of the multiplication: every name so far with every ending.
Names multiply(const Names& names, const Names& endings) {
    Names product;
    product.reserve(names.size() * endings.size());
    for (const std::string& name : names) {
        for (const std::string& ending : endings) product.push_back(name + ending);
    }
    return product;
}

}  // namespace

OrPhrase<Names> expand_host_range(std::string_view expression) {
    Names names{""};
    std::string_view rest = expression;
    while (!rest.empty()) {
        const std::size_t bracket = rest.find_first_of("[]");
        const std::string literal{rest.substr(0, bracket)};
        // Without this, one long literal would be copied into every one of 65,536 names.
        if (has_range(expression) && literal.size() > max_host_name_length) {
            return refused(fmt::format("{} is longer than {} characters", quoted(expression),
                                       max_host_name_length));
        }
        for (std::string& name : names) name += literal;
        if (bracket == std::string_view::npos) break;
        if (rest[bracket] == ']') {
            return refused(fmt::format("{} has a stray ]", quoted(expression)));
        }
        rest.remove_prefix(bracket + 1);
        const std::size_t end = rest.find_first_of("[]");
        if (end == std::string_view::npos) {
            return refused(fmt::format("{} has an unclosed [", quoted(expression)));
        }
        if (rest[end] == '[') {
            return refused(fmt::format("{} has a [ inside of [ ]", quoted(expression)));
        }
        const auto numbers = expand_brackets(rest.substr(0, end), expression);
        if (!numbers) return refused(numbers.error());
        if (numbers->size() > max_expanded_hosts / names.size()) return too_many(expression);
        names = multiply(names, *numbers);
        rest.remove_prefix(end + 1);
    }
    return names;
}

bool has_range(std::string_view expression) {
    return expression.find_first_of("[]") != std::string_view::npos;
}

std::vector<std::string> split_host_list(std::string_view list) {
    std::vector<std::string> expressions(1);
    bool inside = false;
    for (const char c : list) {
        if (c == '[' || c == ']') inside = c == '[';
        if (c == ',' && !inside) {
            expressions.emplace_back();
            continue;
        }
        expressions.back() += c;
    }
    for (std::string& expression : expressions) {
        const std::size_t first = expression.find_first_not_of(" \t");
        const std::size_t last = expression.find_last_not_of(" \t");
        expression = first == std::string::npos ? "" : expression.substr(first, last - first + 1);
    }
    return expressions;
}

}  // namespace gpumuster
