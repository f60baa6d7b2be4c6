#include "gpumuster/verdict/gpu_health_rules.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "gpumuster/probe/csv.hpp"

namespace gpumuster {
namespace {

using K = SmiErrorKind;

struct GpuErrorKind {
    SmiErrorKind kind;
    std::string_view code;
};
constexpr std::array gpu_error_kinds{
    GpuErrorKind{K::gpu_lost, "gpu.lost"},
    GpuErrorKind{K::gpu_needs_reset, "gpu.needs_reset"},
    GpuErrorKind{K::gpu_unreadable, "gpu.unreadable"},
    GpuErrorKind{K::inforom_corrupted, "gpu.inforom"},
};

bool is_of_a_gpu(SmiErrorKind kind) {
    return kind == K::gpu_lost || kind == K::gpu_needs_reset || kind == K::gpu_unreadable;
}

// Old wordings name a GPU by its bus id only, which no row shows when it is the one that is lost.
// With one such error and one gap in the numbering the two are the same GPU.
class Locator {
public:
    explicit Locator(const HostReadings& readings) : readings_{readings} {
        const auto& errors = readings.gpu_query.errors;
        const auto unplaced = std::count_if(errors.begin(), errors.end(), [&](const SmiError& e) {
            return is_of_a_gpu(e.kind) && !known_index(e);
        });
        if (unplaced == 1 && readings.missing_indices.size() == 1)
            the_gap_ = readings.missing_indices.front();
    }

    std::optional<int> index_of(const SmiError& error) const {
        if (const auto index = known_index(error)) return index;
        return is_of_a_gpu(error.kind) ? the_gap_ : std::nullopt;
    }

private:
    std::optional<int> known_index(const SmiError& error) const {
        if (error.gpu_index || !error.pci_bus_id) return error.gpu_index;
        for (const GpuReading& gpu : readings_.gpus) {
            if (gpu.pci_bus_id && is_same_bus_id(*gpu.pci_bus_id, *error.pci_bus_id))
                return gpu.index;
        }
        return {};
    }

    const HostReadings& readings_;
    std::optional<int> the_gap_;
};

void sort_once(std::vector<int>& indices) {
    std::sort(indices.begin(), indices.end());
    indices.erase(std::unique(indices.begin(), indices.end()), indices.end());
}

void judge_errors(const HostReadings& readings, const GpuErrorKind& kind, const Locator& locator,
                  std::vector<int>& explained, Judgement& judgement) {
    std::vector<int> indices;
    std::string quote;
    for (const SmiError& error : readings.gpu_query.errors) {
        if (error.kind != kind.kind) continue;
        const std::string message = fmt::format("the driver says \"{}\"", error.quote);
        if (const auto index = locator.index_of(error)) {
            indices.push_back(*index);
            if (quote.empty()) quote = message;
        } else {
            const std::string subject = error.pci_bus_id ? "GPU " + *error.pci_bus_id : "host";
            judgement.find(kind.code, subject, message);
        }
    }
    sort_once(indices);
    if (!indices.empty()) judgement.find_gpus(kind.code, indices, quote);
    explained.insert(explained.end(), indices.begin(), indices.end());
}

void judge_gaps(const HostReadings& readings, const std::vector<int>& explained,
                Judgement& judgement) {
    std::vector<int> gaps;
    for (const int index : readings.missing_indices) {
        if (std::find(explained.begin(), explained.end(), index) == explained.end())
            gaps.push_back(index);
    }
    if (gaps.empty()) return;
    judgement.find_gpus("gpu.index_gap", gaps,
                        fmt::format("nvidia-smi counts to {} but leaves out {}",
                                    readings.gpus.back().index, gpu_subject(gaps)));
}

// Boards without the sensor, vGPUs, MIG and other drivers say these, and are well.
bool is_normal_absence(std::string_view token) {
    return contains_ignoring_case(token, "n/a") || contains_ignoring_case(token, "supported") ||
           contains_ignoring_case(token, "function not found") ||
           contains_ignoring_case(token, "deprecated");
}

void judge_sensors(const HostReadings& readings, Judgement& judgement) {
    std::vector<int> indices;
    std::string evidence;
    for (const GpuReading& gpu : readings.gpus) {
        if (judgement.verdict_of(gpu.index) >= Verdict::broken) continue;
        for (const MissingField& missing : gpu.missing) {
            const bool is_health = missing.field == "temperature_celsius" ||
                                   missing.field == "pstate" ||
                                   missing.field == "utilization_percent";
            if (!is_health || is_normal_absence(missing.token)) continue;
            if (indices.empty() || indices.back() != gpu.index) indices.push_back(gpu.index);
            if (evidence.empty())
                evidence = fmt::format("{} came as \"{}\"", missing.field, missing.token);
        }
    }
    if (!indices.empty()) judgement.find_gpus("gpu.health.unread", indices, evidence);
}

}  // namespace

bool is_same_bus_id(std::string_view a, std::string_view b) {
    const auto without_zeros = [](std::string_view id) {
        while (id.size() > 1 && id.front() == '0' && id[1] != ':') id.remove_prefix(1);
        return id;
    };
    return equals_ignoring_case(without_zeros(a), without_zeros(b));
}

void judge_health(const HostReadings& readings, Judgement& judgement) {
    const Locator locator(readings);
    std::vector<int> explained;
    for (const GpuErrorKind& kind : gpu_error_kinds)
        judge_errors(readings, kind, locator, explained, judgement);
    if (!readings.gpus.empty()) judge_gaps(readings, explained, judgement);
    judge_sensors(readings, judgement);
}

}  // namespace gpumuster
