#include "gpumuster/report/host_facts.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "gpumuster/base/safe_text.hpp"
#include "gpumuster/base/units.hpp"
#include "gpumuster/report/failure_phrase.hpp"
#include "gpumuster/verdict/catalogue.hpp"

namespace gpumuster {
namespace {

constexpr std::string_view not_read = "?";
constexpr std::size_t longest_name = 253;  // of a domain name
constexpr std::size_t longest_model = 64;
constexpr std::size_t longest_note = 64;

bool gpu_list_was_read(const HostReport& report) {
    return report.readings && (report.readings->gpu_query.outcome == QueryOutcome::answered ||
                               !report.readings->gpus.empty());
}

const FindingKind* kind_of(const Finding& finding) {
    const auto rows = catalogue();
    const auto row = std::ranges::find(rows, finding.code, &FindingKind::code);
    return row == rows.end() ? nullptr : &*row;
}

// The finding that the host's verdict comes from, or else its first error.
const Finding* deciding_error(const HostReport& report) {
    const Finding* first = nullptr;
    for (const Finding& finding : report.verdict.findings) {
        if (finding.severity != Severity::error) continue;
        if (first == nullptr) first = &finding;
        const FindingKind* kind = kind_of(finding);
        if (kind != nullptr && kind->verdict == report.verdict.verdict) return &finding;
    }
    return first;
}

// "0.9" for the low end of a range whose high end is in seconds; the unit stands there.
std::string low_end(std::chrono::microseconds shortest, const std::string& low,
                    const std::string& high) {
    constexpr std::chrono::microseconds least_tenth{50'000};
    const auto unit = [](const std::string& text) { return text.substr(text.find(' ')); };
    if (unit(low) == unit(high) && std::ranges::count(low, ' ') == 1) {
        return low.substr(0, low.find(' '));
    }
    if (unit(low) == " ms" && unit(high) == " s" && shortest >= least_tenth) {
        return fmt::format("{:.1f}", std::chrono::duration<double>(shortest).count());
    }
    return low;
}

}  // namespace

std::string shown_name(const HostReport& report) {
    return quote_line(report.host.name, longest_name);
}

std::string placed_name(const HostReport& report) {
    const auto& container = report.host.settings.container;
    if (!container) return shown_name(report);
    std::string place = container_name(*container);
    const std::string& address = address_of(report.host);
    const bool names_host = report.host.name.find(address) != std::string::npos;
    if (!names_host) place = address + "/" + place;
    return fmt::format("{} ({})", shown_name(report), quote_line(place, longest_name));
}

std::span<const GpuReading> gpus_of(const HostReport& report) {
    if (!report.readings) return {};
    return report.readings->gpus;
}

Verdict gpu_verdict(const HostReport& report, std::size_t position) {
    const auto& gpus = report.verdict.gpus;
    return position < gpus.size() ? gpus[position].verdict : Verdict::unknown;
}

std::string gpu_count_text(const HostReport& report) {
    if (!gpu_list_was_read(report)) return "–";
    const std::size_t seen = gpus_of(report).size();
    const auto& expected = report.host.settings.expect.gpus;
    return expected ? fmt::format("{}/{}", seen, *expected) : fmt::format("{}", seen);
}

std::string short_model(const std::string& name) {
    constexpr std::string_view vendor = "NVIDIA ";
    const std::string model = quote_line(name, longest_model);
    return model.starts_with(vendor) ? model.substr(vendor.size()) : model;
}

std::set<std::string> short_models(const HostReport& report) {
    std::set<std::string> models;
    for (const GpuReading& gpu : gpus_of(report)) {
        if (gpu.name) models.insert(short_model(*gpu.name));
    }
    return models;
}

std::string model_text(const HostReport& report) {
    const auto models = short_models(report);
    if (models.empty()) return std::string(not_read);
    if (models.size() == 1) return *models.begin();
    return fmt::format("{} GPUs, {} models", gpus_of(report).size(), models.size());
}

std::string driver_text(const HostReport& report) {
    for (const GpuReading& gpu : gpus_of(report)) {
        if (gpu.driver_version) return quote_line(*gpu.driver_version, longest_note);
    }
    if (!report.readings || !report.readings->kernel_driver_version) return std::string(not_read);
    return quote_line(*report.readings->kernel_driver_version, longest_note);
}

std::string host_note(const HostReport& report) {
    if (report.failure) return failure_phrase(*report.failure);
    const bool is_hung = report.verdict.verdict == Verdict::hung;
    if (!is_hung && !gpus_of(report).empty()) return {};
    const std::string reason = host_reason(report);
    if (!reason.empty()) return reason;
    return gpu_list_was_read(report) ? "no GPUs" : "GPUs not read";
}

std::string host_reason(const HostReport& report) {
    if (report.failure) return failure_phrase(*report.failure);
    const Finding* error = deciding_error(report);
    if (error == nullptr) return {};
    const FindingKind* kind = kind_of(*error);
    if (kind == nullptr) return quote_line(error->message, longest_note);
    // What follows the first clause stands with the finding.
    return quote_line(kind->meaning.substr(0, kind->meaning.find_first_of(",:;")), longest_note);
}

std::string time_text(std::chrono::microseconds shortest, std::chrono::microseconds longest) {
    if (longest.count() == 0) return "–";
    const std::string low = format_duration(shortest);
    const std::string high = format_duration(longest);
    if (low == high) return low;
    return low_end(shortest, low, high) + "–" + high;
}

}  // namespace gpumuster
