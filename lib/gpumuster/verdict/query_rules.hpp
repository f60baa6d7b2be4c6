#pragma once

#include "gpumuster/inventory/host.hpp"
#include "gpumuster/probe/readings.hpp"
#include "gpumuster/verdict/judgement.hpp"

namespace gpumuster {

// What nvidia-smi, or its absence, says about the host as a whole.
void judge_query(const HostReadings& readings, const Expectations& expect, Judgement& judgement);

}  // namespace gpumuster
