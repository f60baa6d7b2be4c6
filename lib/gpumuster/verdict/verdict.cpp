#include "gpumuster/verdict/verdict.hpp"

#include <array>
#include <cstddef>

#include "gpumuster/verdict/arrival_rules.hpp"
#include "gpumuster/verdict/expectation_rules.hpp"
#include "gpumuster/verdict/gpu_health_rules.hpp"
#include "gpumuster/verdict/gpu_use_rules.hpp"
#include "gpumuster/verdict/judgement.hpp"
#include "gpumuster/verdict/query_rules.hpp"

namespace gpumuster {
namespace {

constexpr std::array<std::string_view, verdict_count> verdict_names{
    "clean", "unknown", "busy", "held", "stale", "degraded", "broken", "hung", "unreachable",
};
constexpr std::array<std::string_view, 3> severity_names{"info", "warning", "error"};

}  // namespace

std::string_view verdict_name(Verdict verdict) {
    return verdict_names.at(static_cast<std::size_t>(verdict));
}

VerdictClass verdict_class(Verdict verdict) {
    switch (verdict) {
        case Verdict::clean:
            return VerdictClass::clean;
        case Verdict::unknown:
        case Verdict::unreachable:
            return VerdictClass::not_known;
        default:
            return VerdictClass::not_clean;
    }
}

std::string_view severity_name(Severity severity) {
    return severity_names.at(static_cast<std::size_t>(severity));
}

HostVerdict judge(const HostReadings& readings, const Expectations& expect,
                  const Thresholds& thresholds, const std::string& name) {
    Judgement judgement(readings, name);
    judge_arrival(readings, judgement);
    judge_query(readings, expect, judgement);
    judge_health(readings, judgement);
    judge_use(readings, thresholds, judgement);
    judge_expectations(readings, expect, judgement);
    return judgement.finish();
}

HostVerdict judge(const Failure& failure) {
    Finding finding;
    finding.code = std::string(failure_info(failure.kind).id);
    finding.severity = Severity::error;
    finding.subject = hop_subject(failure.hop);
    finding.message = failure.message;
    finding.next_step = failure.next_step;
    HostVerdict verdict;
    verdict.verdict = Verdict::unreachable;
    verdict.findings.push_back(std::move(finding));
    return verdict;
}

}  // namespace gpumuster
