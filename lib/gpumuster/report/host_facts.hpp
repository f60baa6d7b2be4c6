#pragma once

#include <chrono>
#include <set>
#include <span>
#include <string>

#include "gpumuster/probe/readings.hpp"
#include "gpumuster/report/fleet_report.hpp"

namespace gpumuster {

// What a table says of a host, as safe text. A fact that was not read is "?", never 0.

// The name that the user gave it.
std::string shown_name(const HostReport& report);

// The same with the container that was inspected, "trainer (pve1/129)"; without the host that it
// is on where the name says it: "root@pve1 (129)".
std::string placed_name(const HostReport& report);

std::span<const GpuReading> gpus_of(const HostReport& report);
Verdict gpu_verdict(const HostReport& report, std::size_t position);

// Seen of expected: "7/8", or "8" without an expectation; "–" when no list of GPUs was read.
std::string gpu_count_text(const HostReport& report);

// Without the vendor: "H100 80GB HBM3".
std::string short_model(const std::string& name);
std::set<std::string> short_models(const HostReport& report);

// The one model, or "8 GPUs, 2 models".
std::string model_text(const HostReport& report);

std::string driver_text(const HostReport& report);

// A few words that stand in place of facts: why a host was not inspected, or why its GPUs could
// not be read. Empty when there are facts to show.
std::string host_note(const HostReport& report);

// What the host's verdict comes from, in a few words; empty when it is clean.
std::string host_reason(const HostReport& report);

// "0.9 s", "0.7–1.4 s"; "–" when nothing was tried.
std::string time_text(std::chrono::microseconds shortest, std::chrono::microseconds longest);

}  // namespace gpumuster
