#include "visit_log.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spdlog/logger.h>
#include <spdlog/sinks/stdout_sinks.h>

#include "gpumuster/base/safe_text.hpp"
#include "gpumuster/base/units.hpp"

namespace gpumuster {
namespace {

std::string stage_times(const Timings& timings) {
    std::vector<std::string> parts;
    for (std::size_t i = 0; i < stage_count; ++i) {
        const auto stage = static_cast<Stage>(i);
        const auto spent = timings.of(stage);
        if (!spent) continue;
        parts.push_back(fmt::format("{} {}", stage_name(stage), format_duration(*spent)));
    }
    return parts.empty() ? "" : fmt::format(" ({})", fmt::join(parts, ", "));
}

// " via bastion, b2"
std::string hops_of(const RouteFacts& route) {
    return route.hops.empty() ? "" : fmt::format(" via {}", fmt::join(route.hops, ", "));
}

std::string program_of(const RouteFacts& route) {
    if (route.transport != "openssh") return {};
    const std::string reason = route.reason.empty() ? "" : fmt::format(" ({})", route.reason);
    return ", with the system ssh" + reason;
}

// Nothing where there was no way.
std::string way_of(const HostReport& report) {
    if (report.host.reach == Reach::local) return ", on this machine";
    if (report.route.transport.empty()) return {};
    const std::string address = report.remote_address.value_or(address_of(report));
    return fmt::format(", as {}@{} port {}{}{}", report.user, address, report.port,
                       hops_of(report.route), program_of(report.route));
}

}  // namespace

std::string visit_line(const HostReport& report) {
    std::string line = fmt::format(
        "{}: {} in {}{}{}", report.host.name, verdict_name(report.verdict.verdict),
        format_duration(report.timings.total()), way_of(report), stage_times(report.timings));
    if (report.failure) {
        line +=
            fmt::format("; {}: {}", failure_info(report.failure->kind).id, report.failure->message);
    }
    return make_safe(line);
}

std::string options_line(std::span<const Host> hosts, const FleetOptions& options) {
    const char* probe = options.probe == ProbeLevel::full ? "full" : "minimal";
    std::string line = fmt::format("{} {}, probe {}, command timeout {}", hosts.size(),
                                   hosts.size() == 1 ? "host" : "hosts", probe,
                                   format_duration(options.budgets.command));
    return make_safe(line + "; where neither a flag nor the inventory says otherwise");
}

VisitLog::VisitLog()
    : log_(std::make_shared<spdlog::logger>("gpumuster",
                                            std::make_shared<spdlog::sinks::stderr_sink_st>())) {
    log_->set_pattern("%H:%M:%S.%e %v");
}

void VisitLog::start(std::span<const Host> hosts, const FleetOptions& options) {
    log_->info("{}", options_line(hosts, options));
}

void VisitLog::host_done(const HostReport& report, std::size_t done, std::size_t total) {
    log_->info("{}/{} {}", done, total, visit_line(report));
}

}  // namespace gpumuster
