#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gpumuster-sim/running_fleet.hpp"
#include "gpumuster/transport/ssh/ssh_transport.hpp"
#include "support/temp_dir.hpp"

namespace gpumuster::test {

// What one visit by the ssh transport came to: a failure, or one output per command.
struct VisitOutcome {
    std::optional<Failure> failure;
    std::vector<CommandOutput> outputs;
    std::string remote_address;
    Timings timings;
    std::vector<Remark> remarks;
};

struct VisitPlan {
    std::vector<RemoteCommand> commands;
    Budgets budgets;
    std::size_t output_cap_bytes = 1 << 20;
    std::optional<std::chrono::milliseconds> cancel_after;
};

RemoteCommand script(const std::string& text,
                     std::chrono::milliseconds limit = std::chrono::seconds(30));

// A simulated fleet on a thread of its own, and the client's side of it: key, known_hosts, hosts.
// Header only, so that only the tests which link the simulator need it.
class SimulatedLab {
public:
    explicit SimulatedLab(sim::Scenario scenario, sim::SimOptions options = {})
        : fleet_(std::move(scenario), std::move(options)) {
        key_ = folder_.write("key", fleet_->private_key_text());
        known_hosts_ = folder_.write("known_hosts", fleet_->known_hosts_text());
    }

    const sim::SimulatedFleet& fleet() const { return *fleet_; }

    Host host(const std::string& name) const {
        const sim::HostEndpoint& endpoint = fleet_->host(name);
        Host host;
        host.name = name;
        host.settings.address = endpoint.address;
        host.settings.port = endpoint.port;
        host.settings.user = "root";
        host.settings.identities = {key_};
        host.settings.known_hosts = {known_hosts_};
        return host;
    }

private:
    TempDir folder_;
    sim::RunningFleet fleet_;
    std::string key_;
    std::string known_hosts_;
};

// Opens a connection to the host, runs the commands on it one after the other and closes it.
VisitOutcome visit(const Host& host, const VisitPlan& plan);

}  // namespace gpumuster::test
