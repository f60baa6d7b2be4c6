#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace gpumuster {

// The pieces of what nvidia-smi prints with --format=csv. It quotes nothing, so that a comma in a
// name looks like a separator: whoever reads a row takes the fixed cells from both ends.

struct Line {
    std::string_view text;  // without its line break, LF or CRLF
    bool is_finished = false;
};
std::vector<Line> split_lines(std::string_view bytes);

// Without blanks, tabs, carriage returns and NUL bytes at both ends.
std::string_view trim(std::string_view text);

// Every cell trimmed; at least one.
std::vector<std::string_view> split_cells(std::string_view line);

// The text from the start of one cell to the end of another of the same line, with its commas.
std::string_view join_cells(std::string_view first, std::string_view last);

// ASCII only: nvidia-smi's own words are.
bool equals_ignoring_case(std::string_view a, std::string_view b);
std::size_t find_ignoring_case(std::string_view text, std::string_view part);  // or npos
bool contains_ignoring_case(std::string_view text, std::string_view part);

// What stands where the driver has no value: any [bracketed text], N/A, ERR!, an empty cell …
bool is_absent(std::string_view cell);

// Digits and nothing else, in range.
std::optional<std::int64_t> parse_number(std::string_view digits, std::int64_t low,
                                         std::int64_t high);

// A number with or without its unit, "2 MiB" and "2"; old drivers write "14MB", without a blank.
std::optional<std::int64_t> parse_mib(std::string_view cell);
std::optional<std::int64_t> parse_percent(std::string_view cell);
std::optional<std::int64_t> parse_celsius(std::string_view cell);

// No machine has that many; a larger number in the first column is no index.
inline constexpr int highest_gpu_index = 4095;

}  // namespace gpumuster
