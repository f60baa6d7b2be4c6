#include "gpumuster/verdict/query_rules.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace gpumuster {
namespace {

using K = SmiErrorKind;

// Errors of the host; those of a GPU and `unrecognised` have rules of their own.
std::string_view host_code(SmiErrorKind kind) {
    switch (kind) {
        case K::driver_not_loaded:
            return "host.driver_not_loaded";
        case K::version_mismatch:
            return "host.version_mismatch";
        case K::no_devices:
            return "host.no_gpus";
        case K::library_missing:
            return "host.library_missing";
        case K::insufficient_permissions:
            return "host.insufficient_permissions";
        case K::blocked_by_os:
            return "host.blocked_by_os";
        case K::nvml_unknown_error:
            return "host.nvml_error";
        case K::tool_not_executable:
            return "host.tool_not_executable";
        case K::tool_crashed:
            return "host.tool_crashed";
        case K::gpu_lost:
        case K::gpu_needs_reset:
        case K::gpu_unreadable:
        case K::inforom_corrupted:
        case K::unrecognised:
            break;
    }
    return {};
}

std::string status_text(const QueryReading& query) {
    return query.exit_status ? fmt::format(" (exit status {})", *query.exit_status) : std::string{};
}

std::string said(const std::string& quote, const QueryReading& query) {
    if (quote.empty()) return fmt::format("nvidia-smi printed nothing{}", status_text(query));
    return fmt::format("nvidia-smi says \"{}\"{}", quote, status_text(query));
}

void judge_errors(const HostReadings& readings, const Expectations& expect, Judgement& judgement) {
    for (const SmiError& error : readings.gpu_query.errors) {
        const std::string_view code = host_code(error.kind);
        if (code.empty()) continue;
        std::string message = said(error.quote, readings.gpu_query);
        if (error.kind == K::version_mismatch && readings.kernel_driver_version)
            message += fmt::format("; the loaded module is {}", *readings.kernel_driver_version);
        const bool none_expected = error.kind == K::no_devices && expect.gpus == 0;
        judgement.find_host(none_expected ? "host.no_gpus_expected" : code, std::move(message));
    }
}

void judge_missing_tool(const HostReadings& readings, const Expectations& expect,
                        Judgement& judgement) {
    if (readings.gpu_query.outcome != QueryOutcome::tool_missing) return;
    const std::string& quote = readings.gpu_query.quote;
    std::string message = readings.frame_seen
                              ? "nvidia-smi is neither on the PATH nor in the known places"
                              : "the login shell does not find nvidia-smi";
    if (!quote.empty()) message += fmt::format(": \"{}\"", quote);
    judgement.find_host(expect.gpus == 0 ? "host.no_gpus_expected" : "host.tool_missing",
                        std::move(message));
}

bool is_unrecognised(const HostReadings& readings) {
    const auto& errors = readings.gpu_query.errors;
    return std::all_of(errors.begin(), errors.end(),
                       [](const SmiError& error) { return error.kind == K::unrecognised; });
}

void judge_failure(const HostReadings& readings, Judgement& judgement) {
    const QueryReading& query = readings.gpu_query;
    const bool is_refused = query.outcome == QueryOutcome::field_refused && readings.gpus.empty();
    const bool is_failed = query.outcome == QueryOutcome::failed && readings.frame_seen;
    if (is_refused || (is_failed && is_unrecognised(readings)))
        judgement.find_host("host.query_failed", said(query.quote, query));
}

// Errors that are understood say themselves what is wrong; else whole rows may not be all rows.
void judge_partial(const HostReadings& readings, Judgement& judgement) {
    const QueryReading& query = readings.gpu_query;
    const bool is_explained =
        std::any_of(query.errors.begin(), query.errors.end(),
                    [](const SmiError& error) { return error.kind != K::inforom_corrupted; });
    if (query.outcome != QueryOutcome::partial || is_explained) return;
    judgement.find_host("host.query_partial",
                        fmt::format("{} GPU rows arrived, then {}", readings.gpus.size(),
                                    said(query.quote, query)));
    judgement.raise_all_gpus(Verdict::unknown);
}

void judge_level(const HostReadings& readings, Judgement& judgement) {
    if (readings.gpus.empty() || readings.answered == ProbeLevel::full) return;
    if (readings.asked == ProbeLevel::minimal)
        return judgement.find_host("health.not_read",
                                   "only index and used memory were asked for (--probe minimal)");
    judgement.find_host("health.refused",
                        readings.frame_seen
                            ? "nvidia-smi refused the query with health and answered only index "
                              "and used memory"
                            : "the login does not run our script and answered only the plain "
                              "query of index and used memory");
    judgement.raise_all_gpus(Verdict::unknown);
}

// Where the GPU query did not come to its end, the processes were not its fault.
bool is_list_due(const HostReadings& readings) {
    const QueryOutcome outcome = readings.gpu_query.outcome;
    return readings.frame_seen && readings.asked == ProbeLevel::full && !readings.gpus.empty() &&
           outcome != QueryOutcome::timed_out && outcome != QueryOutcome::torn;
}

void judge_process_list(const HostReadings& readings, Judgement& judgement) {
    const QueryReading& query = readings.process_query;
    if (!is_list_due(readings) || query.outcome == QueryOutcome::answered) return;
    switch (query.outcome) {
        case QueryOutcome::not_asked:
            return judgement.find_host("processes.not_listed", "the processes were not asked for");
        case QueryOutcome::timed_out:
            return judgement.find_host("processes.not_listed",
                                       "nvidia-smi did not list the processes within its deadline");
        case QueryOutcome::torn:
            return judgement.find_host("processes.not_listed",
                                       "the process list ended in the middle");
        default:
            break;
    }
    const std::string& quote =
        query.quote.empty() && !query.errors.empty() ? query.errors.front().quote : query.quote;
    judgement.find_host("processes.not_listed",
                        "the process list is not complete: " + said(quote, query));
}

}  // namespace

void judge_query(const HostReadings& readings, const Expectations& expect, Judgement& judgement) {
    judge_errors(readings, expect, judgement);
    judge_missing_tool(readings, expect, judgement);
    judge_failure(readings, judgement);
    judge_partial(readings, judgement);
    judge_level(readings, judgement);
    judge_process_list(readings, judgement);
}

}  // namespace gpumuster
