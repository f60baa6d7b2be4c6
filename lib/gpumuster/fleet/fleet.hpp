#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <string>

#include "gpumuster/policy/thresholds.hpp"
#include "gpumuster/probe/probe.hpp"
#include "gpumuster/report/fleet_report.hpp"
#include "gpumuster/transport/target.hpp"
#include "gpumuster/transport/transport.hpp"

namespace gpumuster {

// Everything of a run that is not a host. Clock and marker source stand here so that tests set
// them.
struct FleetOptions {
    Budgets budgets;
    Thresholds thresholds;
    ProbeLevel probe = ProbeLevel::full;
    std::optional<std::chrono::milliseconds> timeout;  // of the whole run
    // Starts are spread over this time; empty: all as soon as there is room.
    std::optional<std::chrono::milliseconds> splay;
    std::size_t parallel = 0;  // visits in flight; 0: derived
    std::size_t loops = 0;     // threads; 0: one per core
    std::function<std::chrono::system_clock::time_point()> now = std::chrono::system_clock::now;
    std::function<Marker()> next_marker;  // called from every loop; empty: random
};

// Told about the run as it goes on; every call is on the thread that called inspect().
class FleetObserver {
public:
    virtual ~FleetObserver() = default;
    virtual void host_done(const HostReport& report, std::size_t done, std::size_t total) = 0;
};

// The implementations to choose from, by what the settings of a target say.
struct Transports {
    Transport& ssh;
    Transport& openssh;
    Transport& local;
};

// Visits every host, at most `parallel` at a time, and returns when each has its report: in the
// order of `targets`, none missing. One host's trouble, an exception included, never touches
// another's. When `stop` is requested or the timeout passes, visits under way end at once and hosts
// that were not reached are reported as such. Blocks the calling thread.
FleetReport inspect(std::span<const Target> targets, const FleetOptions& options,
                    Transports transports, FleetObserver& observer, std::stop_token stop);

}  // namespace gpumuster
