#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gpumuster/probe/readings.hpp"
#include "gpumuster/probe/section_kind.hpp"

namespace gpumuster {

struct ProcessAnswer {
    QueryReading query;
    std::vector<ProcessReading> processes;  // each row once, in the order of the answer
    std::vector<std::optional<std::string>> hidden_process_gpus;
};

// Reads what --query-compute-apps printed. Nothing at all with status 0 means that no process is
// visible; a bare "[Not Supported]" that processes cannot be listed.
ProcessAnswer parse_process_query(const Section& section);

// Section "processes".
SectionKind processes_section();

}  // namespace gpumuster
