#pragma once

#include "gpumuster/probe/readings.hpp"
#include "gpumuster/verdict/judgement.hpp"

namespace gpumuster {

// GPUs that the driver reports as lost, in need of a reset, unreadable or missing, and sensors
// that gave no value where a healthy board has one.
void judge_health(const HostReadings& readings, Judgement& judgement);

// Whether a bus id names the same device: the domain has four digits in some places and eight in
// others, letters of either case.
bool is_same_bus_id(std::string_view a, std::string_view b);

}  // namespace gpumuster
