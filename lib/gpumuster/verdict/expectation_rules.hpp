#pragma once

#include "gpumuster/inventory/host.hpp"
#include "gpumuster/probe/readings.hpp"
#include "gpumuster/verdict/judgement.hpp"

namespace gpumuster {

// Holds the GPUs that answered against what the inventory expects. More GPUs than expected are as
// wrong as fewer: then it is another machine, or the inventory is outdated.
void judge_expectations(const HostReadings& readings, const Expectations& expect,
                        Judgement& judgement);

}  // namespace gpumuster
