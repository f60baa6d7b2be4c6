#include "gpumuster/report/fleet_report.hpp"

#include <algorithm>

namespace gpumuster {
namespace {

constexpr int status_all_clean = 0;
constexpr int status_not_clean = 1;
constexpr int status_not_known = 2;
constexpr int status_interrupted = 130;

bool some_host_is(const FleetReport& report, VerdictClass wanted) {
    return std::ranges::any_of(report.hosts, [wanted](const HostReport& host) {
        return verdict_class(host.verdict.verdict) == wanted;
    });
}

}  // namespace

const std::string& address_of(const HostReport& report) {
    return report.address.empty() ? address_of(report.host) : report.address;
}

Summary summarise(const FleetReport& report) {
    Summary summary;
    summary.hosts = report.hosts.size();
    for (const HostReport& host : report.hosts) {
        ++summary.by_verdict.at(static_cast<std::size_t>(host.verdict.verdict));
        summary.gpus += host.verdict.gpus.size();
        summary.gpus_free += static_cast<std::size_t>(std::ranges::count(
            host.verdict.gpus, Verdict::clean, [](const GpuVerdict& gpu) { return gpu.verdict; }));
    }
    return summary;
}

// The host's verdict is the worst of all its findings, and `unknown` is the mildest of those that
// are not clean: a host with any finding of a worse class shows it here. `unreachable`, the one
// worse verdict that is not known either, stands alone, for nothing was read.
int exit_status(const FleetReport& report) {
    if (report.interrupted) return status_interrupted;
    if (some_host_is(report, VerdictClass::not_clean)) return status_not_clean;
    const bool is_complete = !report.hosts.empty() && !report.out_of_time;
    if (!is_complete || some_host_is(report, VerdictClass::not_known)) return status_not_known;
    return status_all_clean;
}

}  // namespace gpumuster
