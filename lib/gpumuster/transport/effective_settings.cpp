#include "gpumuster/transport/effective_settings.hpp"

#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace gpumuster {
namespace {

HostKeyRule rule_for(std::optional<NewHostKeys> said) {
    return said == NewHostKeys::accept ? HostKeyRule::accept_new : HostKeyRule::known_only;
}

Login login_without_config(const HostSettings& said, const LoginDefaults& defaults) {
    Login login;
    login.port = said.port.value_or(std::uint16_t{22});
    login.user = said.user.value_or(defaults.user);
    login.identities_are_explicit = !said.identities.empty();
    login.identity_files =
        login.identities_are_explicit ? said.identities : defaults.identity_files;
    login.identities_only = login.identities_are_explicit;
    login.agent_socket = defaults.agent_socket;
    login.known_hosts_are_explicit = !said.known_hosts.empty();
    login.known_hosts_files =
        login.known_hosts_are_explicit ? said.known_hosts : defaults.known_hosts_files;
    if (!login.known_hosts_files.empty()) login.new_keys_file = login.known_hosts_files.front();
    login.host_key_rule = rule_for(said.new_host_keys);
    return login;
}

std::string ssh_words(const Login& login, const std::string& jump) {
    const std::string port = login.port == 22 ? "" : fmt::format("-p {} ", login.port);
    return fmt::format("{}{}{}@{}", jump, port, login.user, login.address);
}

std::string jump_word(const Login& hop) {
    const bool is_ipv6 = hop.address.find(':') != std::string::npos;
    const std::string address = is_ipv6 ? "[" + hop.address + "]" : hop.address;
    const std::string port = hop.port == 22 ? "" : fmt::format(":{}", hop.port);
    return fmt::format("{}@{}{}", hop.user, address, port);
}

std::string jump_option(const std::vector<std::string>& passed) {
    return passed.empty() ? "" : fmt::format("-J {} ", fmt::join(passed, ","));
}

HopRef hop_ref(const Login& login, int index) {
    HopRef hop;
    hop.index = index;
    hop.name = login.name;
    hop.address = login.address;
    hop.ssh_arguments = login.ssh_arguments;
    return hop;
}

}  // namespace

std::string_view transport_name(TransportKind kind) {
    switch (kind) {
        case TransportKind::libssh:
            return "libssh";
        case TransportKind::openssh:
            return "openssh";
        case TransportKind::local:
            return "local";
    }
    return {};
}

EffectiveSettings effective_settings(const Host& host, const LoginDefaults& defaults) {
    EffectiveSettings settings;
    if (host.reach == Reach::local) settings.transport = TransportKind::local;
    settings.target = login_without_config(host.settings, defaults);
    settings.target.name = host.name;
    settings.target.address = address_of(host);
    for (const Hop& hop : host.settings.jump.value_or(std::vector<Hop>())) {
        Login login = login_without_config(settings_of_hop(hop, host.settings), defaults);
        login.name = hop.address;
        login.address = hop.address;
        settings.hops.push_back(std::move(login));
    }
    write_ssh_arguments(settings);
    return settings;
}

HostSettings settings_of_hop(const Hop& hop, const HostSettings& host) {
    HostSettings settings;
    settings.port = hop.port;
    settings.user = hop.user;
    settings.identities = hop.identities.empty() ? host.identities : hop.identities;
    settings.known_hosts = hop.known_hosts.empty() ? host.known_hosts : hop.known_hosts;
    settings.new_host_keys = host.new_host_keys;
    return settings;
}

void write_ssh_arguments(EffectiveSettings& settings) {
    std::vector<std::string> passed;
    for (Login& hop : settings.hops) {
        hop.ssh_arguments = ssh_words(hop, jump_option(passed));
        passed.push_back(jump_word(hop));
    }
    settings.target.ssh_arguments = ssh_words(settings.target, jump_option(passed));
}

void use_openssh(EffectiveSettings& settings, std::string reason) {
    settings.transport = TransportKind::openssh;
    settings.transport_reason = std::move(reason);
}

HopRef target_hop(const EffectiveSettings& settings) {
    return hop_ref(settings.target, 0);
}

HopRef jump_hop(const EffectiveSettings& settings, std::size_t index) {
    return hop_ref(settings.hops.at(index), static_cast<int>(index) + 1);
}

std::string known_hosts_name(const std::string& address, std::uint16_t port) {
    return port == 22 ? address : fmt::format("[{}]:{}", address, port);
}

std::string known_hosts_name(const Login& login) {
    if (!login.host_key_alias.empty()) return login.host_key_alias;
    return known_hosts_name(login.address, login.port);
}

}  // namespace gpumuster
