#include "gpumuster/transport/effective_settings.hpp"

#include <fmt/format.h>

namespace gpumuster {

EffectiveSettings effective_settings(const Host& host, const LoginDefaults& defaults) {
    const HostSettings& said = host.settings;
    EffectiveSettings settings;
    settings.address = address_of(host);
    settings.port = said.port.value_or(std::uint16_t{22});
    settings.user = said.user.value_or(defaults.user);
    settings.identities_are_explicit = !said.identities.empty();
    settings.identity_files =
        settings.identities_are_explicit ? said.identities : defaults.identity_files;
    settings.known_hosts_are_explicit = !said.known_hosts.empty();
    settings.known_hosts_files =
        settings.known_hosts_are_explicit ? said.known_hosts : defaults.known_hosts_files;
    return settings;
}

HopRef target_hop(const Host& host, const EffectiveSettings& settings) {
    HopRef hop;
    hop.name = host.name;
    hop.address = settings.address;
    const std::string port = settings.port == 22 ? "" : fmt::format("-p {} ", settings.port);
    hop.ssh_arguments = fmt::format("{}{}@{}", port, settings.user, settings.address);
    return hop;
}

std::string known_hosts_name(const std::string& address, std::uint16_t port) {
    return port == 22 ? address : fmt::format("[{}]:{}", address, port);
}

}  // namespace gpumuster
