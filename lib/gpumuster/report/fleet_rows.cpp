#include "gpumuster/report/fleet_rows.hpp"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "gpumuster/report/host_facts.hpp"
#include "gpumuster/report/memory_text.hpp"
#include "gpumuster/report/name_fold.hpp"

namespace gpumuster {
namespace {

constexpr std::size_t widest_names = 48;

// One host, or several that say the same.
struct HostLine {
    std::vector<std::string> names;
    bool is_in_container = false;
    Verdict verdict = Verdict::unknown;
    std::string gpus;
    std::optional<MemoryRange> idle_memory;
    std::string memory;  // when not every GPU is idle
    std::string model;
    std::string driver;
    std::string note;
    std::chrono::microseconds shortest{0};
    std::chrono::microseconds longest{0};
};

HostLine line_of(const HostReport& report) {
    HostLine line;
    line.names = {placed_name(report)};
    line.is_in_container = report.host.settings.container.has_value();
    line.verdict = report.verdict.verdict;
    line.gpus = gpu_count_text(report);
    line.note = host_note(report);
    line.shortest = line.longest = report.timings.total();
    if (!line.note.empty()) return line;
    const auto idle_mib = report.thresholds.idle_memory_mib;
    line.idle_memory = idle_memory_range(gpus_of(report), idle_mib);
    if (!line.idle_memory) line.memory = memory_text(gpus_of(report), idle_mib);
    line.model = model_text(report);
    line.driver = driver_text(report);
    return line;
}

// What lines must have in common to become one; empty for a line that stands alone. Safe text has
// no control characters, so a line break separates.
std::string fold_key(const HostLine& line) {
    const bool is_not_inspected = line.verdict == Verdict::unreachable;
    if (line.verdict != Verdict::clean && !is_not_inspected) return {};
    // Its last number is that of the container, which is no part of the name.
    if (line.is_in_container) return {};
    const auto name = split_numbered_name(line.names.front());
    if (!name) return {};
    return fmt::format("{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}", name->prefix, name->suffix,
                       static_cast<int>(line.verdict), line.gpus, line.memory, line.model,
                       line.driver, line.note);
}

void add(HostLine& line, HostLine&& other) {
    line.names.push_back(std::move(other.names.front()));
    line.shortest = std::min(line.shortest, other.shortest);
    line.longest = std::max(line.longest, other.longest);
    // Equal keys: both are idle or neither is.
    if (!line.idle_memory || !other.idle_memory) return;
    line.idle_memory->low_mib = std::min(line.idle_memory->low_mib, other.idle_memory->low_mib);
    line.idle_memory->high_mib = std::max(line.idle_memory->high_mib, other.idle_memory->high_mib);
}

std::vector<HostLine> folded_lines(const FleetReport& report) {
    std::vector<HostLine> lines;
    std::unordered_map<std::string, std::size_t> known;
    for (const HostReport& host : report.hosts) {
        HostLine line = line_of(host);
        const std::string key = fold_key(line);
        const auto same = key.empty() ? known.end() : known.find(key);
        if (same != known.end()) {
            add(lines[same->second], std::move(line));
            continue;
        }
        if (!key.empty()) known.emplace(key, lines.size());
        lines.push_back(std::move(line));
    }
    return lines;
}

TableRow row_of(const HostLine& line, std::string name) {
    TableRow row{
        {std::move(name)}, {std::string(verdict_name(line.verdict)), line.verdict}, {line.gpus}};
    if (line.note.empty()) {
        row.push_back({line.idle_memory ? format_memory_range(*line.idle_memory) : line.memory});
        row.push_back({line.model});
        row.push_back({line.driver});
    } else {
        row.push_back({line.note, {}, 3});
    }
    row.push_back({time_text(line.shortest, line.longest)});
    return row;
}

}  // namespace

std::vector<Align> fleet_alignment() {
    return std::vector<Align>(7, Align::left);
}

std::vector<TableRow> fleet_rows(const FleetReport& report) {
    std::vector<TableRow> rows;
    rows.push_back(
        {{"HOST"}, {"VERDICT"}, {"GPUS"}, {"MEMORY USED (MiB)"}, {"MODEL"}, {"DRIVER"}, {"TIME"}});
    for (const HostLine& line : folded_lines(report)) {
        for (std::string& name : fold_names(line.names, widest_names)) {
            rows.push_back(row_of(line, std::move(name)));
        }
    }
    return rows;
}

}  // namespace gpumuster
