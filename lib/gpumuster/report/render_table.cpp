#include "gpumuster/report/columns.hpp"
#include "gpumuster/report/finding_list.hpp"
#include "gpumuster/report/fleet_rows.hpp"
#include "gpumuster/report/gpu_rows.hpp"
#include "gpumuster/report/host_line.hpp"
#include "gpumuster/report/render.hpp"
#include "gpumuster/report/run_notes.hpp"
#include "gpumuster/report/summary_line.hpp"

namespace gpumuster {
namespace {

void write_notes(const FleetReport& report, Sink& sink) {
    const auto notes = run_notes(report);
    if (!notes.empty()) sink.write("\n");
    for (const std::string& note : notes) sink.write("note: " + note + '\n');
}

void write_one_host(const FleetReport& report, Colour colour, Sink& sink) {
    sink.write(host_line(report.hosts.front(), colour) + '\n');
    const auto entries = finding_entries(report, Severity::warning);
    if (!entries.empty()) sink.write("\n");
    write_findings_of_one_host(entries, sink);
    write_notes(report, sink);
}

void write_fleet_rows(const FleetReport& report, Colour colour, Sink& sink) {
    const auto rows = fleet_rows(report);
    Columns columns(fleet_alignment());
    for (const TableRow& row : rows) columns.measure(row);
    for (const TableRow& row : rows) columns.write(row, colour, sink);
}

void write_gpu_rows(const FleetReport& report, Colour colour, Sink& sink) {
    Columns columns(gpu_alignment());
    columns.measure(gpu_header());
    for (const HostReport& host : report.hosts) {
        for (const TableRow& row : gpu_rows(host)) columns.measure(row);
    }
    columns.write(gpu_header(), colour, sink);
    for (const HostReport& host : report.hosts) {
        for (const TableRow& row : gpu_rows(host)) columns.write(row, colour, sink);
    }
}

}  // namespace

void render_table(const FleetReport& report, const TableStyle& style, Sink& sink) {
    const bool is_wide = style.width == TableWidth::wide;
    if (report.hosts.size() == 1 && !is_wide) return write_one_host(report, style.colour, sink);
    if (report.hosts.empty()) return sink.write(summary_line(report) + '\n');
    if (is_wide) {
        write_gpu_rows(report, style.colour, sink);
    } else {
        write_fleet_rows(report, style.colour, sink);
    }
    const auto entries = finding_entries(report, is_wide ? Severity::info : Severity::warning);
    if (!entries.empty()) sink.write("\n");
    write_findings(entries, sink);
    write_notes(report, sink);
    sink.write("\n" + summary_line(report) + '\n');
}

}  // namespace gpumuster
