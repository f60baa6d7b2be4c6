#pragma once

#include "gpumuster/probe/readings.hpp"
#include "gpumuster/verdict/judgement.hpp"

namespace gpumuster {

// Whether an answer arrived at all, and whole: hung, stuck, torn, killed, or a login that runs
// nothing of ours.
void judge_arrival(const HostReadings& readings, Judgement& judgement);

}  // namespace gpumuster
