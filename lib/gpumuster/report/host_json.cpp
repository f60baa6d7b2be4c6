#include "gpumuster/report/host_json.hpp"

#include <algorithm>
#include <chrono>
#include <string_view>

#include "gpumuster/report/gpu_json.hpp"
#include "gpumuster/report/host_facts.hpp"
#include "gpumuster/report/json_values.hpp"
#include "gpumuster/report/timestamp.hpp"

namespace gpumuster {
namespace {

std::string_view probe_name(ProbeLevel level) {
    return level == ProbeLevel::full ? "full" : "minimal";
}

Json text_or_null(const std::string& text) {
    return text.empty() ? Json() : json_text(text);
}

Json findings_of(const HostVerdict& verdict) {
    Json list = Json::array();
    for (const Finding& finding : verdict.findings) {
        Json item;
        item["code"] = json_text(finding.code);
        item["severity"] = severity_name(finding.severity);
        item["subject"] = json_text(finding.subject);
        item["message"] = json_text(finding.message);
        item["next_step"] = json_text(finding.next_step);
        list.push_back(std::move(item));
    }
    return list;
}

Json failure_of(const HostReport& report) {
    if (!report.failure) return {};
    const Failure& failure = *report.failure;
    Json item;
    item["stage"] = stage_name(failure.stage);
    item["hop"]["index"] = failure.hop.index;
    item["hop"]["name"] = json_text(failure.hop.name);
    item["kind"] = failure_info(failure.kind).id;
    item["message"] = json_text(failure.message);
    item["next_step"] = json_text(failure.next_step);
    return item;
}

// "host-key" becomes host_key_ms. Stages that were not entered are left out.
Json timings_of(const Timings& timings) {
    const auto in_ms = [](Timings::Duration spent) {
        return std::chrono::duration<double, std::milli>(spent).count();
    };
    Json item = Json::object();
    for (std::size_t i = 0; i < stage_count; ++i) {
        const auto stage = static_cast<Stage>(i);
        const auto spent = timings.of(stage);
        if (!spent) continue;
        std::string key(stage_name(stage));
        std::ranges::replace(key, '-', '_');
        item[key + "_ms"] = in_ms(*spent);
    }
    item["total_ms"] = in_ms(timings.total());
    return item;
}

// Of the driver as nvidia-smi gives it; all GPUs of a host have the same.
Json driver_version_of(const HostReport& report) {
    for (const GpuReading& gpu : gpus_of(report)) {
        if (gpu.driver_version) return json_text(*gpu.driver_version);
    }
    return {};
}

// Where there is no way, as when ssh_config is at fault, nothing is known of where it would lead.
void add_way(Json& item, const HostReport& report) {
    const RouteFacts& route = report.route;
    const bool has_address = report.host.reach == Reach::ssh && !route.transport.empty();
    item["address"] = has_address ? json_text(address_of(report)) : Json();
    item["user"] = text_or_null(report.user);
    item["port"] = has_address ? Json(report.port) : Json();
    item["remote_address"] = json_text_if(report.remote_address);
    item["route"]["transport"] = text_or_null(route.transport);
    item["route"]["reason"] = text_or_null(route.reason);
    item["route"]["hops"] = json_texts(route.hops);
}

Json container_of(const Host& host) {
    const auto& container = host.settings.container;
    if (!container) return {};
    Json item;
    item["kind"] = container_kind_name(container->kind);
    item["name"] = json_text(container_name(*container));
    return item;
}

// What the inventory says of the host, and the limits it was judged by.
void add_settings(Json& item, const HostReport& report) {
    const HostSettings& settings = report.host.settings;
    item["groups"] = json_texts(report.host.groups);
    item["labels"] = Json::object();
    for (const auto& [name, value] : settings.labels) {
        item["labels"][make_safe(name)] = json_text(value);
    }
    item["expect"]["gpus"] = json_number(settings.expect.gpus);
    item["expect"]["model"] = json_text_if(settings.expect.model);
    item["thresholds"]["idle_memory_mib"] = report.thresholds.idle_memory_mib;
    item["thresholds"]["idle_utilization_percent"] = report.thresholds.idle_utilization_percent;
}

// All null when nothing was read: a consumer finds every key on every host.
void add_readings(Json& item, const HostReport& report) {
    const HostReadings nothing;
    const HostReadings& readings = report.readings ? *report.readings : nothing;
    const bool was_read = report.readings.has_value();
    item["probe"]["asked"] = was_read ? Json(probe_name(readings.asked)) : Json();
    item["probe"]["answered"] = was_read ? Json(probe_name(readings.answered)) : Json();
    item["driver_version"] = driver_version_of(report);
    item["kernel_driver_version"] = json_text_if(readings.kernel_driver_version);
    item["session"]["effective_uid"] = json_number(readings.effective_uid);
    item["session"]["initial_pid_namespace"] = json_number(readings.initial_pid_namespace);
    item["gpus"] = gpus_json(report);
    item["processes_unplaced"] = unplaced_processes_json(readings);
}

}  // namespace

std::string host_json(const HostReport& report) {
    const bool was_observed = report.observed_at != std::chrono::system_clock::time_point{};
    Json item;
    item["name"] = json_text(report.host.name);
    item["verdict"] = verdict_name(report.verdict.verdict);
    item["observed_at"] = was_observed ? Json(format_timestamp(report.observed_at)) : Json();
    add_way(item, report);
    item["container"] = container_of(report.host);
    add_settings(item, report);
    item["failure"] = failure_of(report);
    item["findings"] = findings_of(report.verdict);
    add_readings(item, report);
    item["timings"] = timings_of(report.timings);
    return item.dump();
}

}  // namespace gpumuster
