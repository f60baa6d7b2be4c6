#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gpumuster/base/failure.hpp"
#include "gpumuster/base/remark.hpp"
#include "gpumuster/base/timings.hpp"
#include "gpumuster/inventory/host.hpp"
#include "gpumuster/policy/thresholds.hpp"
#include "gpumuster/probe/readings.hpp"
#include "gpumuster/verdict/verdict.hpp"

namespace gpumuster {

// How a host was reached.
struct RouteFacts {
    std::string transport;          // "libssh", "openssh", "local"; empty: there was no way
    std::string reason;             // why it was not libssh
    std::vector<std::string> hops;  // in the order in which they are passed
};

// Everything a run says about one host.
struct HostReport {
    Host host;
    std::string address;  // that was connected to; empty: as the inventory has it
    std::string user;     // as used for the login
    std::uint16_t port = 22;
    RouteFacts route;
    std::optional<std::string> remote_address;  // numeric, of the connection that was made
    std::chrono::system_clock::time_point observed_at{};
    Thresholds thresholds;
    std::vector<Remark> remarks;  // about the way, also in the findings of the verdict
    HostVerdict verdict;
    std::optional<Failure> failure;  // set: nothing below was read
    std::optional<HostReadings> readings;
    Timings timings;
};

// What was connected to: the address that ssh_config gave, else that of the inventory.
const std::string& address_of(const HostReport& report);

// One run: every host that was asked for, in the order of the inventory.
struct FleetReport {
    std::chrono::system_clock::time_point started_at{};
    std::chrono::microseconds elapsed{0};
    bool interrupted = false;
    bool out_of_time = false;
    std::vector<std::string> notes;  // about the whole run, one line each
    std::vector<HostReport> hosts;
};

struct Summary {
    std::size_t hosts = 0;
    std::array<std::size_t, verdict_count> by_verdict{};
    std::size_t gpus = 0;       // seen
    std::size_t gpus_free = 0;  // own verdict clean
};
Summary summarise(const FleetReport& report);

// 0 every host clean, 1 some host has an error finding against it, 2 none but some not known,
// 130 interrupted. Documented in docs/exit-status.md.
int exit_status(const FleetReport& report);

}  // namespace gpumuster
