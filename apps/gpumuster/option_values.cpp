#include "option_values.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "gpumuster/base/input_error.hpp"
#include "gpumuster/base/nearest.hpp"
#include "gpumuster/base/safe_text.hpp"
#include "gpumuster/base/units.hpp"
#include "gpumuster/inventory/container_words.hpp"
#include "gpumuster/inventory/hop_list.hpp"
#include "gpumuster/inventory/host_name.hpp"

namespace gpumuster {
namespace {

[[noreturn]] void refuse(const std::string& option, const std::string& text,
                         std::string_view accepted, const std::string& hint = {}) {
    throw InputError(
        fmt::format("{} \"{}\": accepted is {}{}", option, quote_line(text), accepted, hint));
}

std::string leading_digits(const std::string& text) {
    return text.substr(0, std::min(text.find_first_not_of("0123456789"), text.size()));
}

// The unit that a person most likely meant: "100MB", "100 mib" and "100" all mean 100MiB.
std::string memory_hint(const std::string& text) {
    std::string unit = "MiB";
    for (const char letter : text) {
        if (letter == 'K' || letter == 'k') unit = "KiB";
        if (letter == 'G' || letter == 'g') unit = "GiB";
        if (letter == 'T' || letter == 't') unit = "TiB";
    }
    const std::string meant = leading_digits(text) + unit;
    return parse_memory_mib(meant) ? fmt::format("; did you mean \"{}\"?", meant) : std::string{};
}

std::string duration_hint(const std::string& text) {
    const std::string number = leading_digits(text);
    const std::string_view rest = std::string_view(text).substr(number.size());
    // "10", "10sec", "5min", "1hour", "10 s": the letter after the number says it all.
    const std::size_t letter = rest.find_first_not_of(' ');
    std::string meant = number + "s";
    if (letter != std::string_view::npos) {
        const bool is_milliseconds = rest.substr(letter, 2) == "ms";
        meant = number + (is_milliseconds ? "ms" : std::string(1, rest[letter]));
    }
    return parse_duration(meant) ? fmt::format("; did you mean \"{}\"?", meant) : std::string{};
}

}  // namespace

std::int64_t number_value(const std::string& option, const std::string& text, std::int64_t lowest,
                          std::int64_t highest) {
    std::int64_t number = 0;
    const char* end = text.data() + text.size();
    const auto [after, error] = std::from_chars(text.data(), end, number);
    if (error == std::errc{} && after == end && number >= lowest && number <= highest)
        return number;
    refuse(option, text, fmt::format("a number from {} to {}", lowest, highest));
}

std::chrono::milliseconds duration_value(const std::string& option, const std::string& text) {
    const auto duration = parse_duration(text);
    if (!duration) refuse(option, text, duration_syntax, duration_hint(text));
    return *duration;
}

std::int64_t memory_mib_value(const std::string& option, const std::string& text) {
    const auto mib = parse_memory_mib(text);
    if (!mib) refuse(option, text, memory_syntax, memory_hint(text));
    return *mib;
}

std::size_t choice_value(const std::string& option, const std::string& text,
                         std::span<const std::string> words) {
    const auto found = std::find(words.begin(), words.end(), text);
    if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
    refuse(option, text, fmt::format("one of {}", fmt::join(words, ", ")),
           did_you_mean(text, words));
}

std::string user_value(const std::string& option, const std::string& text) {
    if (const auto fault = user_fault(text)) {
        throw InputError(fmt::format("{} \"{}\" {}", option, quote_line(text), *fault));
    }
    return text;
}

std::vector<Hop> jump_value(const std::string& option, const std::string& text) {
    auto hops = parse_hop_list(text);
    if (hops) return std::move(*hops);
    throw InputError(fmt::format("{} \"{}\": {}; accepted is {}", option, quote_line(text),
                                 hops.error(), hop_list_syntax));
}

ContainerEntry pct_value(const std::string& option, const std::string& text) {
    const auto number = number_value(option, text, lowest_pct, highest_pct);
    ContainerEntry container;
    container.kind = ContainerEntry::Kind::pct;
    container.name = std::to_string(number);
    return container;
}

ContainerEntry docker_value(const std::string& option, const std::string& text) {
    if (const auto fault = docker_name_fault(text)) {
        throw InputError(fmt::format("{} \"{}\" {}", option, quote_line(text), *fault));
    }
    ContainerEntry container;
    container.kind = ContainerEntry::Kind::docker;
    container.name = text;
    return container;
}

std::string file_value(const std::string& option, const std::string& text) {
    if (text.empty()) refuse(option, text, "the name of a file");
    return text;
}

}  // namespace gpumuster
