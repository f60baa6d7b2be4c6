#include "gpumuster/base/units.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <system_error>

#include <fmt/format.h>

namespace gpumuster {
namespace {

struct Unit {
    std::string_view name;
    std::int64_t factor;
};

// From large to small, which is also the order in which they may follow each other in a text.
constexpr std::array<Unit, 4> duration_units{
    {{"h", 3'600'000}, {"m", 60'000}, {"s", 1'000}, {"ms", 1}}};
constexpr std::array<Unit, 4> memory_units{
    {{"TiB", 1'073'741'824}, {"GiB", 1'048'576}, {"MiB", 1'024}, {"KiB", 1}}};

constexpr std::int64_t longest_duration_ms = 24 * 3'600'000;
// Far above any memory, and small enough that no product below can overflow.
constexpr std::int64_t largest_number = 1'000'000'000;

// Takes digits off the front of `text`.
std::optional<std::int64_t> take_number(std::string_view& text) {
    std::int64_t number = 0;
    const char* end = text.data() + text.size();
    const auto [after, error] = std::from_chars(text.data(), end, number);
    if (error != std::errc{} || text.front() == '-' || number > largest_number) return {};
    text.remove_prefix(static_cast<std::size_t>(after - text.data()));
    return number;
}

// Takes the letters up to the next digit off the front of `text`; an index into duration_units.
std::optional<std::size_t> take_duration_unit(std::string_view& text) {
    const std::size_t length = std::min(text.find_first_of("0123456789"), text.size());
    const std::string_view name = text.substr(0, length);
    for (std::size_t i = 0; i < duration_units.size(); ++i) {
        if (duration_units[i].name != name) continue;
        text.remove_prefix(length);
        return i;
    }
    return {};
}

std::string whole_and_rest(std::int64_t value, std::int64_t per_whole, std::string_view whole_unit,
                           std::string_view rest_unit) {
    const std::int64_t rest = value % per_whole;
    if (rest == 0) return fmt::format("{} {}", value / per_whole, whole_unit);
    return fmt::format("{} {} {} {}", value / per_whole, whole_unit, rest, rest_unit);
}

std::int64_t rounded(std::int64_t value, std::int64_t step) {
    return (value + step / 2) / step;
}

}  // namespace

std::optional<std::chrono::milliseconds> parse_duration(std::string_view text) {
    std::int64_t total_ms = 0;
    std::size_t next_unit = 0;
    while (!text.empty()) {
        const auto number = take_number(text);
        if (!number) return {};
        const auto unit = take_duration_unit(text);
        if (!unit || *unit < next_unit) return {};
        total_ms += *number * duration_units[*unit].factor;
        next_unit = *unit + 1;
    }
    if (total_ms <= 0 || total_ms > longest_duration_ms) return {};
    return std::chrono::milliseconds{total_ms};
}

std::optional<std::int64_t> parse_memory_mib(std::string_view text) {
    const auto number = take_number(text);
    if (!number) return {};
    for (const Unit& unit : memory_units) {
        if (unit.name == text) return *number * unit.factor / 1'024;
    }
    return {};
}

std::string format_duration(std::chrono::microseconds duration) {
    const std::int64_t microseconds = std::max<std::int64_t>(duration.count(), 0);
    const std::int64_t ms = rounded(microseconds, 1'000);
    if (ms < 1'000) return fmt::format("{} ms", ms);
    const std::int64_t tenths = rounded(microseconds, 100'000);
    if (tenths < 600) {
        return tenths % 10 == 0 ? fmt::format("{} s", tenths / 10)
                                : fmt::format("{}.{} s", tenths / 10, tenths % 10);
    }
    const std::int64_t seconds = rounded(microseconds, 1'000'000);
    if (seconds < 3'600) return whole_and_rest(seconds, 60, "min", "s");
    return whole_and_rest(rounded(seconds, 60), 60, "h", "min");
}

}  // namespace gpumuster
