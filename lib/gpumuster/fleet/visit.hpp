#pragma once

#include <asio/awaitable.hpp>

#include "gpumuster/fleet/fleet.hpp"

namespace gpumuster {

// The report of a host about which nothing is known yet: its settings only.
HostReport blank_report(const Target& target, const FleetOptions& options);

// The implementation that the settings ask for.
Transport& transport_for(const EffectiveSettings& settings, Transports transports);

// Fills in a host that was not inspected.
void report_failure(HostReport& report, Failure failure);

// Visits one host and returns its report, whatever happens: the guard that keeps one host's
// exception from the others is here.
asio::awaitable<HostReport> visit_host(const Target& target, const FleetOptions& options,
                                       Transports transports, LoginLedger& ledger,
                                       CancelToken cancel);

}  // namespace gpumuster
