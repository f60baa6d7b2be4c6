#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gpumuster {

// "250ms", "10s", "2m", "1h", "1m30s". A bare number is refused: the unit is part of the value.
// Zero, negative and more than 24 hours are refused. Empty when the text is no such duration.
std::optional<std::chrono::milliseconds> parse_duration(std::string_view text);
inline constexpr std::string_view duration_syntax = "a duration such as 500ms, 10s, 2m or 1h";

// "100MiB", "2GiB", "512KiB"; a bare number is refused. Rounded down to whole MiB.
std::optional<std::int64_t> parse_memory_mib(std::string_view text);
inline constexpr std::string_view memory_syntax = "a size such as 100MiB or 2GiB";

// For people: "85 ms", "1.4 s", "2 min 5 s", "3 h 12 min".
std::string format_duration(std::chrono::microseconds duration);

}  // namespace gpumuster
