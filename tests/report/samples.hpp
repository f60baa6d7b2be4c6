#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gpumuster/report/fleet_report.hpp"
#include "gpumuster/report/render.hpp"

// Reports built by hand. Codes that begin with "test." are in no catalogue.
namespace gpumuster::test {

using namespace std::chrono_literals;

inline constexpr std::chrono::system_clock::time_point morning =
    std::chrono::sys_days{std::chrono::year{2026} / 3 / 1} + 9h + 5min + 250ms;

class Text : public Sink {
public:
    void write(std::string_view bytes) override { text += bytes; }
    std::string text;
};

inline std::string table_of(const FleetReport& report, const TableStyle& style = {}) {
    Text sink;
    render_table(report, style, sink);
    return sink.text;
}

inline std::string json_of(const FleetReport& report) {
    Text sink;
    render_json(report, "1.2.3", sink);
    return sink.text;
}

inline GpuReading h100(int index, std::optional<std::int64_t> used_mib) {
    GpuReading gpu;
    gpu.index = index;
    gpu.uuid = "GPU-" + std::to_string(index);
    gpu.name = "NVIDIA H100 80GB HBM3";
    gpu.pci_bus_id = "00000000:0" + std::to_string(index) + ":00.0";
    gpu.memory_total_mib = 81559;
    gpu.memory_used_mib = used_mib;
    gpu.utilization_percent = 0;
    gpu.temperature_celsius = 34;
    gpu.pstate = "P0";
    gpu.driver_version = "570.86.15";
    if (!used_mib) gpu.missing = {{"memory_used_mib", "[N/A]"}};
    return gpu;
}

inline std::vector<GpuReading> h100s(const std::vector<std::optional<std::int64_t>>& used_mib) {
    std::vector<GpuReading> gpus;
    for (const auto& used : used_mib) gpus.push_back(h100(static_cast<int>(gpus.size()), used));
    return gpus;
}

// A host that was visited in 0.9 s and answered everything. GPUs above the idle floor are busy,
// and with them the host.
inline HostReport answering(const std::string& name, std::vector<GpuReading> gpus) {
    HostReport report;
    report.host.name = name;
    report.user = "root";
    report.route.transport = "libssh";
    report.observed_at = morning;
    report.verdict.verdict = Verdict::clean;
    for (const GpuReading& gpu : gpus) {
        const bool is_idle = gpu.memory_used_mib.value_or(0) <= report.thresholds.idle_memory_mib;
        report.verdict.gpus.push_back({gpu.index, is_idle ? Verdict::clean : Verdict::busy});
        if (!is_idle) report.verdict.verdict = Verdict::busy;
    }
    report.readings.emplace();
    report.readings->gpu_query.outcome = QueryOutcome::answered;
    report.readings->gpus = std::move(gpus);
    report.timings.add(Stage::connect, 100ms);
    report.timings.add(Stage::command, 800ms);
    return report;
}

inline HostReport idle_node(const std::string& name) {
    HostReport report = answering(name, h100s({0, 0, 0, 0, 2, 0, 0, 0}));
    report.host.settings.expect.gpus = 8;
    return report;
}

inline HostReport failed_at(const std::string& name, Failure failure) {
    HostReport report;
    report.host.name = name;
    report.user = "root";
    report.route.transport = "libssh";
    report.observed_at = morning;
    report.verdict = judge(failure);
    report.failure = std::move(failure);
    report.timings.add(Stage::connect, 200ms);
    return report;
}

inline HostReport not_inspected(const std::string& name, FailureKind kind,
                                const std::string& message) {
    return failed_at(name, make_failure(kind, HopRef{.index = 0, .name = name}, message));
}

// A host that ssh_config shows no way to.
inline HostReport without_way(const std::string& name) {
    HostReport report = not_inspected(name, FailureKind::config_refused, "line 3: Bad option");
    report.user.clear();
    report.route = {};
    report.timings = {};
    return report;
}

inline HostReport in_container(HostReport report, const std::string& address,
                               ContainerEntry container) {
    report.host.settings.address = address;
    report.host.settings.container = std::move(container);
    return report;
}

inline HostReport with_finding(HostReport report, Verdict verdict, Finding finding) {
    report.verdict.verdict = verdict;
    report.verdict.findings.push_back(std::move(finding));
    return report;
}

inline FleetReport fleet_of(std::vector<HostReport> hosts) {
    FleetReport report;
    report.started_at = morning;
    report.elapsed = 1400ms;
    report.hosts = std::move(hosts);
    return report;
}

}  // namespace gpumuster::test
