#include "gpumuster/verdict/judgement.hpp"

#include <algorithm>
#include <charconv>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "gpumuster/base/safe_text.hpp"
#include "gpumuster/verdict/catalogue.hpp"

namespace gpumuster {
namespace {

// The host before its GPUs, GPUs by their first index, then whatever has no index.
auto order_of(const Finding& finding) {
    constexpr std::string_view prefix = "GPU ";
    int place = -1;
    if (finding.subject.starts_with(prefix)) {
        const char* end = finding.subject.data() + finding.subject.size();
        const auto [stop, error] =
            std::from_chars(finding.subject.data() + prefix.size(), end, place);
        const bool is_index = error == std::errc{} && (stop == end || *stop == '-' || *stop == ',');
        if (!is_index) place = 1'000'000;
    }
    return std::tuple(-static_cast<int>(finding.severity), place);
}

}  // namespace

std::string hop_subject(const HopRef& hop) {
    constexpr std::size_t longest_name = 64;
    return hop.index == 0 ? "host" : "hop " + quote_line(hop.name, longest_name);
}

std::string filled_in(std::string_view text, std::string_view placeholder, std::string_view value) {
    std::string result(text);
    for (auto at = result.find(placeholder); at != std::string::npos;
         at = result.find(placeholder, at + value.size()))
        result.replace(at, placeholder.size(), value);
    return result;
}

void put_in_order(std::vector<Finding>& findings) {
    std::stable_sort(findings.begin(), findings.end(),
                     [](const Finding& a, const Finding& b) { return order_of(a) < order_of(b); });
}

std::string gpu_subject(const std::vector<int>& indices) {
    std::string text = "GPU ";
    for (std::size_t i = 0; i < indices.size();) {
        std::size_t last = i;
        while (last + 1 < indices.size() && indices[last + 1] == indices[last] + 1) ++last;
        if (i > 0) text += ',';
        text += std::to_string(indices[i]);
        if (last > i) text += fmt::format("-{}", indices[last]);
        i = last + 1;
    }
    return text;
}

Judgement::Judgement(const HostReadings& readings, std::string host) : host_{std::move(host)} {
    result_.verdict = Verdict::clean;
    for (const GpuReading& gpu : readings.gpus) result_.gpus.push_back({gpu.index, Verdict::clean});
}

void Judgement::find_host(std::string_view code, std::string message) {
    find(code, "host", std::move(message));
}

void Judgement::find_gpus(std::string_view code, const std::vector<int>& indices,
                          std::string message, std::string_view next_step) {
    find(code, gpu_subject(indices), std::move(message), next_step);
    for (const int index : indices) raise(index, finding_kind(code).verdict);
}

void Judgement::find(std::string_view code, std::string subject, std::string message,
                     std::string_view next_step) {
    const FindingKind& kind = finding_kind(code);
    Finding finding;
    finding.code = std::string(kind.code);
    finding.severity = kind.severity;
    finding.subject = std::move(subject);
    finding.message = std::move(message);
    finding.next_step = filled_in(next_step.empty() ? kind.next_step : next_step, "{host}", host_);
    result_.findings.push_back(std::move(finding));
    result_.verdict = std::max(result_.verdict, kind.verdict);
}

void Judgement::raise_all_gpus(Verdict verdict) {
    for (GpuVerdict& gpu : result_.gpus) gpu.verdict = std::max(gpu.verdict, verdict);
}

void Judgement::raise(int index, Verdict verdict) {
    for (GpuVerdict& gpu : result_.gpus) {
        if (gpu.index == index) gpu.verdict = std::max(gpu.verdict, verdict);
    }
}

Verdict Judgement::verdict_of(int index) const {
    for (const GpuVerdict& gpu : result_.gpus) {
        if (gpu.index == index) return gpu.verdict;
    }
    return Verdict::unknown;
}

HostVerdict Judgement::finish() {
    for (const GpuVerdict& gpu : result_.gpus)
        result_.verdict = std::max(result_.verdict, gpu.verdict);
    put_in_order(result_.findings);
    return std::move(result_);
}

}  // namespace gpumuster
