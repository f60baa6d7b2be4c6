#include "gpumuster-sim/simulated_fleet.hpp"

#include <unistd.h>

#include <stdexcept>

#include "gpumuster-sim/reactor.hpp"
#include "gpumuster-sim/sockets.hpp"
#include "gpumuster-sim/ssh_server.hpp"

namespace gpumuster::sim {

struct SimulatedFleet::Impl {
    Impl(Scenario given, SimOptions options)
        : scenario(std::move(given)),
          server(options.client_key, std::move(options.responder)),
          counts(scenario.hosts.size()) {
        for (const SimulatedHost& host : scenario.hosts) {
            const bool listens = state_info(host.state).player != Player::nobody;
            ports.push_back(bind_port(options.listen, listens ? PortUse::listen : PortUse::refuse));
            endpoints.push_back({host.name, options.listen, ports.back().number});
        }
    }

    std::size_t index_of(std::string_view name) const {
        for (std::size_t i = 0; i < endpoints.size(); ++i) {
            if (endpoints[i].name == name) return i;
        }
        throw std::out_of_range("no simulated host " + std::string(name));
    }

    Scenario scenario;
    SshServer server;
    KeyPair other_host_key{KeyType::ed25519};  // that nobody has: of changed_key
    std::vector<LiveCounts> counts;
    std::vector<Port> ports;
    std::vector<HostEndpoint> endpoints;
    Pipe stop_pipe = make_pipe();
};

SimulatedFleet::SimulatedFleet(Scenario scenario, SimOptions options)
    : impl_{std::make_unique<Impl>(std::move(scenario), std::move(options))} {}

SimulatedFleet::~SimulatedFleet() = default;

void SimulatedFleet::run() {
    Reactor reactor(impl_->server, impl_->stop_pipe.out.get());
    for (std::size_t i = 0; i < impl_->ports.size(); ++i) {
        const SimulatedHost& host = impl_->scenario.hosts[i];
        if (state_info(host.state).player == Player::nobody) continue;
        reactor.listen(impl_->ports[i].descriptor.get(), host, impl_->counts[i]);
    }
    reactor.run();
}

void SimulatedFleet::stop() {
    [[maybe_unused]] const auto written = write(impl_->stop_pipe.in.get(), "s", 1);
}

const std::vector<HostEndpoint>& SimulatedFleet::hosts() const {
    return impl_->endpoints;
}

const HostEndpoint& SimulatedFleet::host(std::string_view name) const {
    return impl_->endpoints[impl_->index_of(name)];
}

VisitCounts SimulatedFleet::counts(std::string_view name) const {
    return impl_->counts[impl_->index_of(name)].read();
}

std::string SimulatedFleet::private_key_text() const {
    return impl_->server.client_key().private_text();
}

std::string SimulatedFleet::known_hosts_text() const {
    const std::string key = impl_->server.host_key().public_text();
    const std::string other_key = impl_->other_host_key.public_text();
    std::string text;
    for (std::size_t i = 0; i < impl_->endpoints.size(); ++i) {
        const HostState state = impl_->scenario.hosts[i].state;
        if (state == HostState::unknown_key) continue;
        const HostEndpoint& endpoint = impl_->endpoints[i];
        text += "[" + endpoint.address + "]:" + std::to_string(endpoint.port) + " " +
                (state == HostState::changed_key ? other_key : key) + "\n";
    }
    return text;
}

std::string SimulatedFleet::inventory_text(const std::string& key_file,
                                           const std::string& known_hosts) const {
    const auto quoted = [](const std::string& text) {
        std::string result = "\"";
        for (const char c : text) {
            if (c == '"' || c == '\\') result += '\\';
            result += c;
        }
        return result + "\"";
    };
    std::string text = "defaults:\n  user: root\n  identity: " + quoted(key_file) +
                       "\n  known_hosts: " + quoted(known_hosts) + "\nhosts:\n";
    for (std::size_t i = 0; i < impl_->endpoints.size(); ++i) {
        const HostEndpoint& endpoint = impl_->endpoints[i];
        text += "  " + quoted(endpoint.name) + ": {address: " + endpoint.address +
                ", port: " + std::to_string(endpoint.port) +
                ", expect: {gpus: " + std::to_string(impl_->scenario.hosts[i].expected_gpus) +
                "}}\n";
    }
    return text;
}

}  // namespace gpumuster::sim
