#include "gpumuster/verdict/expectation_rules.hpp"

#include <string>
#include <vector>

#include <fmt/format.h>

#include "gpumuster/probe/csv.hpp"

namespace gpumuster {
namespace {

std::string count_text(std::size_t count) {
    return count == 1 ? std::string("1 GPU") : fmt::format("{} GPUs", count);
}

void judge_count(const HostReadings& readings, int expected, Judgement& judgement) {
    const auto wanted = static_cast<std::size_t>(expected);
    const std::size_t count = readings.gpus.size();
    if (count == wanted) return;
    judgement.find_host("host.gpu_count", fmt::format("expected {}, {} {}", count_text(wanted),
                                                      count, count == 1 ? "answers" : "answer"));
}

void judge_model(const HostReadings& readings, const std::string& expected, Judgement& judgement) {
    std::vector<int> unread;
    std::vector<int> others;
    std::string other_name;
    for (const GpuReading& gpu : readings.gpus) {
        if (!gpu.name) {
            unread.push_back(gpu.index);
        } else if (!contains_ignoring_case(*gpu.name, expected)) {
            others.push_back(gpu.index);
            if (other_name.empty()) other_name = *gpu.name;
        }
    }
    if (!others.empty())
        judgement.find("host.gpu_model", gpu_subject(others),
                       fmt::format("expected the model {}, found {}", expected, other_name));
    if (!unread.empty())
        judgement.find("host.gpu_model_unread", gpu_subject(unread),
                       fmt::format("expected the model {}, but the name was not read", expected));
}

}  // namespace

void judge_expectations(const HostReadings& readings, const Expectations& expect,
                        Judgement& judgement) {
    const bool is_counted = readings.gpu_query.outcome == QueryOutcome::answered ||
                            readings.gpu_query.outcome == QueryOutcome::partial;
    if (expect.gpus && is_counted) judge_count(readings, *expect.gpus, judgement);
    if (expect.model) judge_model(readings, *expect.model, judgement);
}

}  // namespace gpumuster
