#include <chrono>
#include <string>

#include "gpumuster/report/host_json.hpp"
#include "gpumuster/report/json_values.hpp"
#include "gpumuster/report/render.hpp"
#include "gpumuster/report/timestamp.hpp"

namespace gpumuster {
namespace {

constexpr std::string_view schema = "gpumuster/report/1";

Json summary_of(const FleetReport& report) {
    const Summary summary = summarise(report);
    Json item;
    item["hosts"] = summary.hosts;
    for (std::size_t i = 0; i < verdict_count; ++i) {
        const std::string_view name = verdict_name(static_cast<Verdict>(i));
        item["by_verdict"][std::string(name)] = summary.by_verdict[i];
    }
    item["gpus"] = summary.gpus;
    item["gpus_free"] = summary.gpus_free;
    item["exit_status"] = exit_status(report);
    return item;
}

Json run_of(const FleetReport& report, std::string_view program_version) {
    Json run;
    run["schema"] = schema;
    run["gpumuster"] = json_text(program_version);
    run["started_at"] = format_timestamp(report.started_at);
    run["elapsed_ms"] = std::chrono::duration<double, std::milli>(report.elapsed).count();
    run["interrupted"] = report.interrupted;
    run["out_of_time"] = report.out_of_time;
    run["notes"] = json_texts(report.notes);
    run["summary"] = summary_of(report);
    return run;
}

}  // namespace

void render_json(const FleetReport& report, std::string_view program_version, Sink& sink) {
    const Json run = run_of(report, program_version);
    sink.write("{\n");
    for (const auto& [key, value] : run.items()) {
        sink.write("  \"" + key + "\": " + value.dump() + ",\n");
    }
    sink.write("  \"hosts\": [");
    std::string_view separator = "\n";
    for (const HostReport& host : report.hosts) {
        sink.write(separator);
        sink.write("    " + host_json(host));
        separator = ",\n";
    }
    sink.write("\n  ]\n}\n");
}

}  // namespace gpumuster
