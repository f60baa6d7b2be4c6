#pragma once

#include <vector>

#include "gpumuster/probe/readings.hpp"
#include "gpumuster/verdict/holders.hpp"
#include "gpumuster/verdict/judgement.hpp"

namespace gpumuster {

// Names the processes that are listed. The workers of one job (same command, same user) are one
// finding, over however many GPUs.
void judge_processes(const HostReadings& readings, const std::vector<Holder>& holders,
                     Judgement& judgement);

// "VLLM::Worker_TP0" and "VLLM::Worker_TP7" are workers of one job: what a job's workers have in
// common, the rest of the command unchanged.
std::string job_of(std::string_view command);

}  // namespace gpumuster
