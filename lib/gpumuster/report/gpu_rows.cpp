#include "gpumuster/report/gpu_rows.hpp"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "gpumuster/base/safe_text.hpp"
#include "gpumuster/report/host_facts.hpp"

namespace gpumuster {
namespace {

constexpr std::size_t fact_columns = 7;  // from MEMORY to UUID
constexpr std::size_t longest_cell = 64;

template <class T>
std::string number_text(const std::optional<T>& value, std::string_view unit) {
    return value ? fmt::format("{}{}", *value, unit) : "?";
}

std::string word_text(const std::optional<std::string>& value) {
    return value ? quote_line(*value, longest_cell) : "?";
}

Cell verdict_cell(Verdict verdict) {
    return {std::string(verdict_name(verdict)), verdict};
}

TableRow row_of(const std::string& name, const GpuReading& gpu, Verdict verdict) {
    return {{name},
            {fmt::format("{}", gpu.index)},
            verdict_cell(verdict),
            {number_text(gpu.memory_used_mib, "") + "/" + number_text(gpu.memory_total_mib, "")},
            {number_text(gpu.utilization_percent, " %")},
            {number_text(gpu.temperature_celsius, " °C")},
            {word_text(gpu.pstate)},
            {gpu.name ? short_model(*gpu.name) : "?"},
            {word_text(gpu.pci_bus_id)},
            {word_text(gpu.uuid)}};
}

bool shows_verdict_of_host(const std::vector<GpuVerdict>& gpus, Verdict host) {
    return std::ranges::find(gpus, host, &GpuVerdict::verdict) != gpus.end();
}

}  // namespace

TableRow gpu_header() {
    return {{"HOST"}, {"GPU"},    {"VERDICT"}, {"MEMORY (MiB)"}, {"UTIL"},
            {"TEMP"}, {"PSTATE"}, {"MODEL"},   {"BUS-ID"},       {"UUID"}};
}

std::vector<Align> gpu_alignment() {
    using enum Align;
    return {left, right, left, right, right, right, left, left, left, left};
}

std::vector<TableRow> gpu_rows(const HostReport& report) {
    const std::string name = shown_name(report);
    const auto gpus = gpus_of(report);
    std::vector<TableRow> rows;
    if (!shows_verdict_of_host(report.verdict.gpus, report.verdict.verdict)) {
        const std::string note = host_note(report);
        rows.push_back({{name},
                        {"–"},
                        verdict_cell(report.verdict.verdict),
                        {note.empty() ? host_reason(report) : note, {}, fact_columns}});
    }
    for (std::size_t i = 0; i < gpus.size(); ++i) {
        rows.push_back(row_of(name, gpus[i], gpu_verdict(report, i)));
    }
    return rows;
}

}  // namespace gpumuster
