#pragma once

#include <memory>
#include <span>
#include <string>

#include "gpumuster/fleet/fleet.hpp"

namespace spdlog {
class logger;
}

namespace gpumuster {

// One line per host, for --verbose: "node1: clean in 850 ms, as root@203.0.113.7 port 22 via
// bastion, with the system ssh (ProxyCommand in ssh_config) (resolve 1 ms, …)". Safe text.
std::string visit_line(const HostReport& report);

// What the run was set to, for --verbose: hosts, probe, login and deadlines.
std::string options_line(std::span<const Host> hosts, const FleetOptions& options);

// The log of --verbose, on stderr with the time of day.
class VisitLog : public FleetObserver {
public:
    VisitLog();

    void start(std::span<const Host> hosts, const FleetOptions& options);
    void host_done(const HostReport& report, std::size_t done, std::size_t total) override;

private:
    std::shared_ptr<spdlog::logger> log_;
};

}  // namespace gpumuster
