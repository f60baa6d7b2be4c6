#pragma once

#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <string>

#include "gpumuster-sim/running_fleet.hpp"
#include "support/temp_dir.hpp"

namespace gpumuster::test {

// A fleet of one host, named "host".
inline sim::Scenario one(sim::HostState state) {
    sim::Scenario scenario;
    scenario.hosts.emplace_back();
    scenario.hosts[0].name = "host";
    scenario.hosts[0].state = state;
    return scenario;
}

struct ShellResult {
    std::string text;  // both streams
    int status = -1;   // what sh gives: 255 is ssh's own trouble
};

inline ShellResult run_shell(const std::string& command) {
    ShellResult result;
    FILE* pipe = popen(("(" + command + ") 2>&1").c_str(), "r");
    if (pipe == nullptr) return result;
    std::array<char, 4096> bytes{};
    while (const std::size_t count = std::fread(bytes.data(), 1, bytes.size(), pipe)) {
        result.text.append(bytes.data(), count);
    }
    const int status = pclose(pipe);
    if (WIFEXITED(status)) result.status = WEXITSTATUS(status);
    return result;
}

// The real OpenSSH client, with the key and the known hosts of a simulated fleet.
class OpensshClient {
public:
    explicit OpensshClient(const sim::SimulatedFleet& fleet) : fleet_{fleet} {
        folder_.write("known_hosts", fleet.known_hosts_text());
        folder_.write("key", fleet.private_key_text());
    }

    const std::string& folder() const { return folder_.path(); }

    // Ends ssh after `seconds`, with status 124.
    ShellResult run(const std::string& host, const std::string& command,
                    const std::string& options = "", int seconds = 20) const {
        return run_shell("timeout " + std::to_string(seconds) + " " + line(host, options) + " '" +
                         command + "'");
    }

    std::string line(const std::string& host, const std::string& options) const {
        const sim::HostEndpoint& endpoint = fleet_.host(host);
        return "ssh -F none -n -o BatchMode=yes -o IdentitiesOnly=yes -i " + folder() +
               "/key -o UserKnownHostsFile=" + folder() +
               "/known_hosts -o GlobalKnownHostsFile=none " + options + " -p " +
               std::to_string(endpoint.port) + " root@" + endpoint.address;
    }

private:
    const sim::SimulatedFleet& fleet_;
    TempDir folder_;
};

}  // namespace gpumuster::test
