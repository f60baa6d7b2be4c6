#pragma once

#include <pwd.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <stop_token>
#include <string>
#include <vector>

#include "gpumuster/transport/settings/resolve_settings.hpp"
#include "support/components.hpp"
#include "support/temp_dir.hpp"

namespace gpumuster::test {

inline Host host_named(const std::string& name) {
    Host host;
    host.name = name;
    return host;
}

// Real configurations for the real ssh, and nothing of the user's own.
class ConfigLab {
public:
    ConfigLab() {
        const passwd* account = ::getpwuid(::getuid());
        std::array<char, 256> machine{};
        ::gethostname(machine.data(), machine.size() - 1);
        source.ssh_program = program_path("ssh");
        source.home = account->pw_dir;
        source.local_user = account->pw_name;
        source.machine_name = machine.data();
        source.limit = std::chrono::seconds(60);
        source.variable = [](const std::string& name) -> std::optional<std::string> {
            const char* value = std::getenv(name.c_str());
            if (value == nullptr) return {};
            return value;
        };
        defaults.user = source.local_user;
        defaults.identity_files = {source.home + "/.ssh/id_ed25519"};
        defaults.known_hosts_files = {source.home + "/.ssh/known_hosts"};
    }

    void configure(const std::string& text) { source.file = folder.write("ssh_config", text); }

    ResolvedTargets resolve_all(std::vector<Host> hosts, std::stop_token stop = {}) const {
        return resolve_settings(std::move(hosts), defaults, source, std::move(stop));
    }
    Result<EffectiveSettings> resolve(Host host) const {
        std::vector<Host> hosts{std::move(host)};
        return std::move(resolve_all(std::move(hosts)).targets.front().settings);
    }
    Result<EffectiveSettings> resolve(const std::string& config, Host host) {
        configure(config);
        return resolve(std::move(host));
    }

    TempDir folder;
    ConfigSource source;
    LoginDefaults defaults;
};

}  // namespace gpumuster::test
