#include "gpumuster/inventory/value_reader.hpp"

#include <algorithm>
#include <charconv>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "gpumuster/base/nearest.hpp"
#include "gpumuster/base/safe_text.hpp"
#include "gpumuster/base/units.hpp"
#include "gpumuster/inventory/host_name.hpp"
#include "gpumuster/inventory/words.hpp"
#include "gpumuster/inventory/yaml_text.hpp"

namespace gpumuster {
namespace {

using Kind = YamlNode::Kind;

std::optional<int> whole_number(std::string_view text) {
    int number = 0;
    const char* end = text.data() + text.size();
    const auto [after, error] = std::from_chars(text.data(), end, number);
    // A number too large for an int is still one, and outside of every limit here.
    if (error == std::errc::result_out_of_range && after == end) return -1;
    if (error != std::errc{} || after != end) return {};
    return number;
}

}  // namespace

ValueReader::ValueReader(std::string owner, Problems& problems)
    : owner_(std::move(owner)), problems_(problems) {}

std::optional<std::string> ValueReader::single(const YamlNode& node) {
    if (node.kind == Kind::scalar) return node.text;
    if (node.kind == Kind::null) {
        problem(node.place, fmt::format("{} has no value", key_));
    } else if (node.kind != Kind::refused) {
        problem(node.place, fmt::format("{} takes a single value, not {}", key_, kind_name(node)));
    }
    return {};
}

std::optional<std::string> ValueReader::text(const YamlNode& node) {
    auto written = single(node);
    if (!written) return {};
    if (const auto fault = yaml_text_fault(node)) {
        refuse_value(node, *fault);
        return {};
    }
    return written;
}

std::optional<int> ValueReader::number(const YamlNode& node, int low, int high) {
    const auto written = single(node);
    if (!written) return {};
    const auto parsed = whole_number(*written);
    if (!parsed) {
        refuse_value(node, fmt::format("is not a number in {}-{}", low, high));
        return {};
    }
    if (*parsed >= low && *parsed <= high) return parsed;
    problem(node.place,
            fmt::format("{} {} is outside {}-{}", key_, quote_line(*written, 40), low, high));
    return {};
}

std::optional<std::chrono::milliseconds> ValueReader::duration(const YamlNode& node) {
    const auto written = single(node);
    if (!written) return {};
    const auto parsed = parse_duration(*written);
    if (!parsed) refuse_value(node, fmt::format("is not {} (at most 24h)", duration_syntax));
    return parsed;
}

std::optional<std::int64_t> ValueReader::memory_mib(const YamlNode& node) {
    const auto written = single(node);
    if (!written) return {};
    const auto parsed = parse_memory_mib(*written);
    if (!parsed) refuse_value(node, fmt::format("is not {}", memory_syntax));
    return parsed;
}

std::optional<std::string> ValueReader::user(const YamlNode& node) {
    auto name = text(node);
    if (!name) return {};
    if (const auto fault = user_fault(*name)) {
        refuse_value(node, *fault);
        return {};
    }
    return name;
}

std::optional<std::size_t> ValueReader::choice(const YamlNode& node,
                                               std::span<const std::string> words) {
    const auto written = single(node);
    if (!written) return {};
    const auto found = std::find(words.begin(), words.end(), *written);
    if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
    refuse_value(node, fmt::format("is not one of {}{}", fmt::join(words, ", "),
                                   did_you_mean(*written, words)));
    return {};
}

std::vector<std::string> ValueReader::files(const YamlNode& node) {
    std::vector<std::string> paths;
    if (node.kind != Kind::sequence) {
        add_file(node, paths);
        return paths;
    }
    if (node.items.empty()) problem(node.place, fmt::format("{} is an empty list", key_));
    for (const YamlNode* item : node.items) add_file(*item, paths);
    return paths;
}

void ValueReader::add_file(const YamlNode& node, std::vector<std::string>& paths) {
    auto path = text(node);
    if (!path) return;
    const bool is_home_of_another = path->front() == '~' && path->substr(0, 2) != "~/";
    if (is_home_of_another) {
        refuse_value(node, "begins with '~', which stands for a home only in \"~/\"");
        return;
    }
    paths.push_back(std::move(*path));
}

bool ValueReader::is_map(const YamlNode& node) {
    if (node.kind == Kind::map) return true;
    if (node.kind != Kind::refused) {
        problem(node.place, fmt::format("{} takes a map, not {}", key_, kind_name(node)));
    }
    return false;
}

void ValueReader::refuse_key(const YamlEntry& entry, std::span<const std::string> names) {
    std::string hint = did_you_mean(entry.key->text, names);
    if (hint.empty()) hint = fmt::format("; accepted are {}", fmt::join(names, ", "));
    problem(entry.key->place, fmt::format("unknown key {}{}", quoted(entry.key->text), hint));
}

void ValueReader::refuse_value(const YamlNode& node, std::string_view fault) {
    problem(node.place, fmt::format("{} {} {}", key_, quoted(node.text), fault));
}

void ValueReader::problem(Place place, std::string_view what) {
    problems_.add(place, fmt::format("{}: {}", owner_, what));
}

}  // namespace gpumuster
