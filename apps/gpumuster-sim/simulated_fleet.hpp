#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "gpumuster-sim/answer.hpp"
#include "gpumuster-sim/counts.hpp"
#include "gpumuster-sim/keys.hpp"
#include "gpumuster-sim/scenario.hpp"

namespace gpumuster::sim {

struct SimOptions {
    std::string listen = "127.0.0.1";  // any address of 127.0.0.0/8
    KeyType client_key = KeyType::ed25519;
    Responder responder;
};

struct HostEndpoint {
    std::string name;
    std::string address;
    std::uint16_t port = 0;
};

// The hosts of a scenario as SSH servers on loopback: one port each, one thread for all. After the
// constructor every port is bound, and connections wait until run() takes them.
class SimulatedFleet {
public:
    // Throws std::system_error when ports or descriptors run out, std::invalid_argument when
    // `listen` is not on loopback.
    explicit SimulatedFleet(Scenario scenario, SimOptions options = {});
    ~SimulatedFleet();
    SimulatedFleet(const SimulatedFleet&) = delete;
    SimulatedFleet& operator=(const SimulatedFleet&) = delete;

    // Plays until stop(); called once. Closes every connection before it returns.
    void run();

    // From any thread or signal handler, also before run().
    void stop();

    // In the order of the scenario. These and the rest are for any thread.
    const std::vector<HostEndpoint>& hosts() const;
    const HostEndpoint& host(std::string_view name) const;  // throws std::out_of_range

    VisitCounts counts(std::string_view name) const;  // throws std::out_of_range

    std::string private_key_text() const;  // of the user who may log in
    std::string known_hosts_text() const;
    std::string inventory_text(const std::string& key_file, const std::string& known_hosts) const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace gpumuster::sim
