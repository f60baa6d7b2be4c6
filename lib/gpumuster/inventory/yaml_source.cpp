#include "gpumuster/inventory/yaml_source.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "gpumuster/base/safe_text.hpp"

namespace gpumuster {
namespace {

constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

bool is_plain(char c) {
    return (c >= ' ' && c <= '~') || c == '\t';
}

std::optional<std::size_t> first_unprintable(std::string_view line) {
    if (std::all_of(line.begin(), line.end(), is_plain)) return {};
    std::string printable{line};
    std::replace(printable.begin(), printable.end(), '\t', ' ');
    constexpr std::size_t longest_escape = 8;
    const std::string safe = make_safe(printable, printable.size() * longest_escape);
    const auto [in_line, in_safe] =
        std::mismatch(printable.begin(), printable.end(), safe.begin(), safe.end());
    if (in_line == printable.end()) return {};
    return static_cast<std::size_t>(in_line - printable.begin());
}

// The closing quote of the text whose opening quote was taken off; npos when there is none.
std::size_t find_closing_quote(std::string_view rest, char quote) {
    for (std::size_t i = 0; i < rest.size(); ++i) {
        if (quote == '"' && rest[i] == '\\') {
            ++i;
            continue;
        }
        if (rest[i] != quote) continue;
        const bool is_doubled = quote == '\'' && i + 1 < rest.size() && rest[i + 1] == '\'';
        if (!is_doubled) return i;
        ++i;
    }
    return std::string_view::npos;
}

}  // namespace

YamlSource::YamlSource(std::string_view text) {
    if (text.substr(0, byte_order_mark.size()) == byte_order_mark) {
        text.remove_prefix(byte_order_mark.size());
    }
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        std::string_view line = text.substr(0, end);
        if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
        lines_.push_back(line);
        if (end == std::string_view::npos) break;
        text.remove_prefix(end + 1);
    }
}

bool YamlSource::is_text(Problems& problems) const {
    bool all_printable = true;
    for (std::size_t i = 0; i < lines_.size(); ++i) {
        const auto position = first_unprintable(lines_[i]);
        if (!position) continue;
        all_printable = false;
        problems.add({static_cast<int>(i) + 1, static_cast<int>(*position) + 1},
                     fmt::format("\"{}\" is not printable UTF-8 text",
                                 quote_line(lines_[i].substr(*position), 24)));
    }
    return all_printable;
}

bool YamlSource::closes_quote(Place place) const {
    std::string_view rest = from(place);
    while (true) {
        const std::size_t word = rest.find_first_not_of(" \t");
        if (word == std::string_view::npos) {  // the text stands in a line below its anchor or tag
            if (static_cast<std::size_t>(place.line) >= lines_.size()) return false;
            place = {place.line + 1, 1};
            rest = from(place);
            continue;
        }
        rest.remove_prefix(word);
        const bool is_property = rest.front() == '&' || rest.front() == '!';
        if (!is_property) break;
        rest.remove_prefix(std::min(rest.find_first_of(" \t"), rest.size()));
    }
    const bool is_quote = rest.front() == '"' || rest.front() == '\'';
    if (!is_quote) return true;  // a block (| or >), or a plain text behind the tag `!`
    return find_closing_quote(rest.substr(1), rest.front()) != std::string_view::npos;
}

std::string_view YamlSource::from(Place place) const {
    const bool is_inside = place.line >= 1 && static_cast<std::size_t>(place.line) <= lines_.size();
    if (!is_inside) return {};
    const std::string_view line = lines_[static_cast<std::size_t>(place.line) - 1];
    const auto skipped = static_cast<std::size_t>(std::max(place.column - 1, 0));
    return skipped <= line.size() ? line.substr(skipped) : std::string_view{};
}

bool YamlSource::is_indented_by_tab(int line) const {
    const std::string_view text = from({line, 1});
    const std::string_view indent = text.substr(0, text.find_first_not_of(" \t"));
    return indent.find('\t') != std::string_view::npos;
}

}  // namespace gpumuster
