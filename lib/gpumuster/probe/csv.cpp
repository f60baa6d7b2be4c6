#include "gpumuster/probe/csv.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>

namespace gpumuster {
namespace {

using namespace std::string_view_literals;

char lower(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

// Every form met without brackets; with brackets any text counts, new ones appear with drivers.
constexpr std::array absent_words{"n/a"sv,       "not supported"sv, "err!"sv,
                                  "not found"sv, "unknown error"sv, "insufficient permissions"sv};

std::string_view without_unit(std::string_view cell, std::string_view unit) {
    if (cell.size() < unit.size()) return cell;
    const std::string_view end = cell.substr(cell.size() - unit.size());
    if (!equals_ignoring_case(end, unit)) return cell;
    return trim(cell.substr(0, cell.size() - unit.size()));
}

// Far above any board, far below where sums of GPUs would overflow.
constexpr std::int64_t most_mib = 1'000'000'000;

}  // namespace

std::vector<Line> split_lines(std::string_view bytes) {
    std::vector<Line> lines;
    while (!bytes.empty()) {
        const std::size_t end = bytes.find('\n');
        const bool is_finished = end != std::string_view::npos;
        std::string_view text = bytes.substr(0, end);
        bytes.remove_prefix(is_finished ? end + 1 : bytes.size());
        if (text.ends_with('\r')) text.remove_suffix(1);
        lines.push_back({text, is_finished});
    }
    return lines;
}

std::string_view trim(std::string_view text) {
    constexpr std::string_view blanks = " \t\r\0"sv;
    const std::size_t first = text.find_first_not_of(blanks);
    if (first == std::string_view::npos) return text.substr(0, 0);
    return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::vector<std::string_view> split_cells(std::string_view line) {
    std::vector<std::string_view> cells;
    while (true) {
        const std::size_t comma = line.find(',');
        cells.push_back(trim(line.substr(0, comma)));
        if (comma == std::string_view::npos) return cells;
        line.remove_prefix(comma + 1);
    }
}

std::string_view join_cells(std::string_view first, std::string_view last) {
    const char* end = last.data() + last.size();
    return {first.data(), static_cast<std::size_t>(end - first.data())};
}

bool equals_ignoring_case(std::string_view a, std::string_view b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](char x, char y) { return lower(x) == lower(y); });
}

std::size_t find_ignoring_case(std::string_view text, std::string_view part) {
    const auto found = std::search(text.begin(), text.end(), part.begin(), part.end(),
                                   [](char x, char y) { return lower(x) == lower(y); });
    if (found == text.end() && !part.empty()) return std::string_view::npos;
    return static_cast<std::size_t>(found - text.begin());
}

bool contains_ignoring_case(std::string_view text, std::string_view part) {
    return find_ignoring_case(text, part) != std::string_view::npos;
}

bool is_absent(std::string_view cell) {
    if (cell.empty() || (cell.starts_with('[') && cell.ends_with(']'))) return true;
    return std::any_of(absent_words.begin(), absent_words.end(),
                       [&](std::string_view word) { return equals_ignoring_case(cell, word); });
}

std::optional<std::int64_t> parse_number(std::string_view digits, std::int64_t low,
                                         std::int64_t high) {
    std::int64_t number = 0;
    const char* end = digits.data() + digits.size();
    const auto [stop, error] = std::from_chars(digits.data(), end, number);
    if (error != std::errc{} || stop != end || number < low || number > high) return {};
    return number;
}

std::optional<std::int64_t> parse_mib(std::string_view cell) {
    const std::string_view shorter = without_unit(cell, "MiB");
    return parse_number(shorter.size() < cell.size() ? shorter : without_unit(cell, "MB"), 0,
                        most_mib);
}

std::optional<std::int64_t> parse_percent(std::string_view cell) {
    return parse_number(without_unit(cell, "%"), 0, 100);
}

std::optional<std::int64_t> parse_celsius(std::string_view cell) {
    return parse_number(without_unit(cell, "C"), -100, 250);
}

}  // namespace gpumuster
