#include "gpumuster/transport/entry/entry_lines.hpp"

#include <algorithm>
#include <cstddef>

namespace gpumuster {
namespace {

std::vector<std::string_view> lines_of(std::string_view text) {
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        std::string_view line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        if (line.ends_with('\r')) line.remove_suffix(1);
        lines.push_back(line);
    }
    return lines;
}

bool is_blank(std::string_view line) {
    return line.find_first_not_of(" \t") == std::string_view::npos;
}

// perl's paragraph and bash's line about a locale that the host does not have. Harmless.
bool is_about_locales(std::string_view line) {
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    const bool is_setting =
        line.find(" = ") != std::string_view::npos &&
        (line.starts_with("LC_") || line.starts_with("LANG = ") || line.starts_with("LANGUAGE = "));
    return is_setting || line.starts_with("perl: warning: ") ||
           line == "are supported and installed on your system." ||
           line.find("warning: setlocale: ") != std::string_view::npos;
}

void read_own_line(std::string_view words, EntryReport& report) {
    const std::size_t blank = std::min(words.find(' '), words.size());
    const std::string_view word = words.substr(0, blank);
    if (word == entry_entering) {
        report.has_begun = true;
    } else if (word == entry_inside) {
        report.has_entered = true;
    } else if (!report.has_begun) {
        report.finding = word;
        report.detail = words.substr(std::min(blank + 1, words.size()));
    }
}

void read_stream(std::string_view text, EntryReport& report) {
    for (const std::string_view line : lines_of(text)) {
        if (report.has_entered) return;
        if (line.starts_with(entry_prefix)) {
            read_own_line(line.substr(entry_prefix.size()), report);
        } else if (report.has_begun && !is_blank(line) && !is_about_locales(line)) {
            report.said.push_back(line);
        }
    }
}

}  // namespace

// On a terminal, which the words of an entry may ask for, both streams arrive in one.
EntryReport read_entry(const CommandOutput& output) {
    EntryReport report;
    read_stream(output.err, report);
    read_stream(output.out, report);
    return report;
}

void drop_entry_lines(CommandOutput& output) {
    std::string kept;
    for (const std::string_view line : lines_of(output.err)) {
        if (!line.starts_with(entry_prefix)) {
            kept.append(line).append("\n");
        } else if (kept.ends_with("\n\n") || kept == "\n") {
            kept.pop_back();  // the break that goes before each line of ours
        }
    }
    if (!output.err.ends_with('\n') && kept.ends_with('\n')) kept.pop_back();
    output.err = std::move(kept);
}

}  // namespace gpumuster
