#pragma once

#include "gpumuster/policy/thresholds.hpp"
#include "gpumuster/probe/readings.hpp"
#include "gpumuster/verdict/judgement.hpp"

namespace gpumuster {

// Whether something uses or holds each GPU: processes, memory, utilisation. Runs after the health
// rules: memory of a GPU that is broken is held by its fault, not by somebody.
void judge_use(const HostReadings& readings, const Thresholds& thresholds, Judgement& judgement);

}  // namespace gpumuster
