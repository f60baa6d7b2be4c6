#include "gpumuster/verdict/arrival_rules.hpp"

#include <algorithm>
#include <chrono>
#include <string>

#include <fmt/format.h>

#include "gpumuster/base/units.hpp"

namespace gpumuster {
namespace {

std::string age_text(std::optional<std::int64_t> seconds) {
    return seconds ? " for " + format_duration(std::chrono::seconds{*seconds}) : std::string{};
}

std::string stuck_text(const HostReadings& readings) {
    const StuckQuery& first = readings.stuck_queries.front();
    std::string text =
        fmt::format("nvidia-smi pid {} is in state D{}", first.pid, age_text(first.age_seconds));
    if (readings.stuck_queries.size() > 1)
        text += fmt::format(" and {} more like it", readings.stuck_queries.size() - 1);
    return text + ", so no new one was started";
}

// What was learned before it hung: the driver's version tells which of its faults it may be.
std::string hung_text(const HostReadings& readings) {
    std::string text = "nvidia-smi did not answer within its deadline";
    if (readings.frame_seen) text += "; the shell answers";
    if (readings.kernel_driver_version)
        text += fmt::format("; the loaded driver is {}", *readings.kernel_driver_version);
    if (!readings.gpus.empty())
        text += fmt::format("; {} GPU rows had come before", readings.gpus.size());
    return text;
}

std::string torn_text(const HostReadings& readings) {
    switch (readings.ending) {
        case Ending::lost:
            return "the connection broke before the answer was complete";
        case Ending::capped:
            return "the host printed more than is taken";
        case Ending::cancelled:
            return "the run was interrupted before the answer was complete";
        default:
            return fmt::format("the script ended before nvidia-smi had answered (exit status {})",
                               readings.exit_status);
    }
}

std::string quoted(const std::string& quote) {
    return quote.empty() ? std::string("nothing at all") : fmt::format("\"{}\"", quote);
}

bool is_hung(const HostReadings& readings) {
    if (readings.gpu_query.outcome == QueryOutcome::timed_out) return true;
    return readings.ending == Ending::deadline && readings.frame_seen && !readings.frame_complete;
}

// Either the query stopped in the middle, or the answer ended before it.
bool is_torn(const HostReadings& readings) {
    if (readings.gpu_query.outcome == QueryOutcome::torn) return true;
    if (readings.gpu_query.outcome != QueryOutcome::not_asked) return false;
    return readings.frame_seen || readings.ending != Ending::exited;
}

// A crash is said by its own finding, and the signal was part of it.
bool has_crashed(const HostReadings& readings) {
    const auto& errors = readings.gpu_query.errors;
    return std::any_of(errors.begin(), errors.end(), [](const SmiError& error) {
        return error.kind == SmiErrorKind::tool_crashed;
    });
}

bool is_unrecognised_login(const HostReadings& readings) {
    if (readings.frame_seen || !readings.gpus.empty()) return false;
    const auto& errors = readings.gpu_query.errors;
    return readings.gpu_query.outcome == QueryOutcome::not_asked ||
           (readings.gpu_query.outcome == QueryOutcome::failed &&
            std::all_of(errors.begin(), errors.end(), [](const SmiError& error) {
                return error.kind == SmiErrorKind::unrecognised;
            }));
}

}  // namespace

void judge_arrival(const HostReadings& readings, Judgement& judgement) {
    if (!readings.stuck_queries.empty()) {
        judgement.find_host("host.query_stuck", stuck_text(readings));
        return judgement.raise_all_gpus(Verdict::unknown);
    }
    if (is_hung(readings)) {
        judgement.find_host("host.query_hung", hung_text(readings));
        return judgement.raise_all_gpus(Verdict::unknown);
    }
    if (readings.ending == Ending::deadline && !readings.frame_seen) {
        return judgement.find_host(
            "host.shell_hung",
            fmt::format("the login works, but its shell printed {} within the deadline",
                        quoted(readings.shell_quote)));
    }
    if (is_torn(readings)) {
        judgement.raise_all_gpus(Verdict::unknown);
        if (has_crashed(readings)) return;
        if (readings.ending == Ending::signalled)
            return judgement.find_host(
                "host.killed", fmt::format("the command was ended by signal {}", readings.signal));
        return judgement.find_host("host.answer_torn", torn_text(readings));
    }
    if (is_unrecognised_login(readings))
        judgement.find_host("host.restricted_shell",
                            fmt::format("the login answered with {} instead of GPU rows "
                                        "(exit status {})",
                                        quoted(readings.shell_quote), readings.exit_status));
}

}  // namespace gpumuster
