#pragma once

#include <string>
#include <vector>

#include "gpumuster/report/fleet_report.hpp"
#include "gpumuster/report/render.hpp"

namespace gpumuster {

// A finding and the hosts that share it, as safe text.
struct FindingEntry {
    std::vector<std::string> hosts;
    Severity severity = Severity::info;
    std::string text;  // severity, subject and message
    std::string next_step;
};

// The findings of at least `least` severity, errors first, then in the order of the report. Hosts
// that say the same are one entry, in the words of `shared_words`.
std::vector<FindingEntry> finding_entries(const FleetReport& report, Severity least);

// The hosts to the left, the finding and below it its next step to the right. Infos ask for
// nothing: their next step is left out.
void write_findings(const std::vector<FindingEntry>& entries, Sink& sink);

// The same without a column of hosts, for a report on one.
void write_findings_of_one_host(const std::vector<FindingEntry>& entries, Sink& sink);

}  // namespace gpumuster
