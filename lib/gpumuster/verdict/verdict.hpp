#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gpumuster/base/failure.hpp"
#include "gpumuster/base/remark.hpp"
#include "gpumuster/inventory/host.hpp"
#include "gpumuster/policy/thresholds.hpp"
#include "gpumuster/probe/readings.hpp"

namespace gpumuster {

// From best to worst; a host's verdict is the worst of its GPUs' and of its own findings'.
enum class Verdict { clean, unknown, busy, held, stale, degraded, broken, hung, unreachable };
inline constexpr std::size_t verdict_count = static_cast<std::size_t>(Verdict::unreachable) + 1;

std::string_view verdict_name(Verdict verdict);

// The three classes behind the exit status.
enum class VerdictClass { clean, not_clean, not_known };
VerdictClass verdict_class(Verdict verdict);

enum class Severity { info, warning, error };  // only an error changes a verdict
std::string_view severity_name(Severity severity);

// One thing found, with the sentence of evidence and what to do about it.
struct Finding {
    std::string code;  // of the catalogue: "gpu.memory.held"
    Severity severity = Severity::info;
    std::string subject;  // "host", "GPU 0", "GPU 0-3", "hop bastion"
    std::string message;
    std::string next_step;
};

struct GpuVerdict {
    int index = 0;
    Verdict verdict = Verdict::unknown;
};

struct HostVerdict {
    Verdict verdict = Verdict::unknown;
    std::vector<Finding> findings;  // errors first, then warnings, then info; then by subject
    std::vector<GpuVerdict> gpus;   // in the order of HostReadings::gpus
};

// Pure. `name` is the host as the user calls it, for next steps.
HostVerdict judge(const HostReadings& readings, const Expectations& expect,
                  const Thresholds& thresholds, const std::string& name);

// A host that was not inspected.
HostVerdict judge(const Failure& failure);

// What was noticed on the way in, as warnings and infos among the other findings. Whatever it is,
// the verdict stays.
void add_remarks(HostVerdict& verdict, std::span<const Remark> remarks);

}  // namespace gpumuster
