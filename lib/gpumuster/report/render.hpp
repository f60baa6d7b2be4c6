#pragma once

#include <cstddef>
#include <string_view>

#include "gpumuster/report/fleet_report.hpp"
#include "gpumuster/report/sink.hpp"

namespace gpumuster {

enum class Colour { off, on };
enum class TableWidth { compact, wide };  // wide: one row per GPU

struct TableStyle {
    Colour colour = Colour::off;
    TableWidth width = TableWidth::compact;
};

// Pure, no clock. For people. Rows of hosts, or of GPUs when wide; then the findings with their
// next steps; then what is to be noted about the run; then the summary line. One host that is not
// asked for wide is one glance: a single line, with findings and notes below when there are any.
void render_table(const FleetReport& report, const TableStyle& style, Sink& sink);

// One document, schema "gpumuster/report/1", described by docs/report.schema.json.
void render_json(const FleetReport& report, std::string_view program_version, Sink& sink);

}  // namespace gpumuster
