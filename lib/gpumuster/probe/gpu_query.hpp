#pragma once

#include <vector>

#include "gpumuster/probe/readings.hpp"
#include "gpumuster/probe/section_kind.hpp"
#include "gpumuster/probe/smi_errors.hpp"

namespace gpumuster {

struct GpuAnswer {
    QueryReading query;
    std::vector<GpuReading> gpus;      // by ascending index, each index once
    std::vector<int> missing_indices;  // below the highest one that answered
};

// Reads what --query-gpu printed. A row counts only when it is whole: its first cell is an index
// and it has the columns of the level; a last line without end counts only when nvidia-smi ended
// on its own. Alarms in cells ("[GPU requires reset]") are among the errors, with their GPU.
GpuAnswer parse_gpu_query(const Section& section, ProbeLevel level, Speaker speaker);

// Section "gpus": finds nvidia-smi on PATH or in the known places; 127 when there is none.
SectionKind gpus_section(ProbeLevel level);

}  // namespace gpumuster
