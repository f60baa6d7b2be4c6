#include "gpumuster/inventory/settings_overlay.hpp"

#include "gpumuster/inventory/inventory.hpp"

namespace gpumuster {
namespace {

template <class T>
void take(std::optional<T>& value, const std::optional<T>& upper) {
    if (upper) value = upper;
}

void take(std::vector<std::string>& files, const std::vector<std::string>& upper) {
    if (!upper.empty()) files = upper;
}

}  // namespace

void overlay(HostSettings& settings, const HostSettings& upper) {
    take(settings.address, upper.address);
    take(settings.port, upper.port);
    take(settings.user, upper.user);
    take(settings.identities, upper.identities);
    take(settings.known_hosts, upper.known_hosts);
    take(settings.jump, upper.jump);
    take(settings.container, upper.container);
    take(settings.transport, upper.transport);
    take(settings.new_host_keys, upper.new_host_keys);
    take(settings.connect_timeout, upper.connect_timeout);
    take(settings.command_timeout, upper.command_timeout);
    take(settings.idle_memory_mib, upper.idle_memory_mib);
    take(settings.expect.gpus, upper.expect.gpus);
    take(settings.expect.model, upper.expect.model);
    for (const auto& [name, value] : upper.labels) settings.labels[name] = value;
}

void override_settings(Host& host, const HostSettings& flags) {
    overlay(host.settings, flags);
}

}  // namespace gpumuster
