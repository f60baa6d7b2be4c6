#include <utility>

#include "gpumuster/inventory/inventory.hpp"
#include "gpumuster/inventory/name_placeholder.hpp"
#include "gpumuster/inventory/settings_overlay.hpp"
#include "gpumuster/inventory/written_inventory.hpp"

namespace gpumuster {
namespace {

void fill_in_name(Host& host) {
    if (auto& address = host.settings.address) *address = with_name(*address, host.name);
    auto& container = host.settings.container;
    if (!container) return;
    container->name = with_name(container->name, host.name);
    for (std::string& word : container->argv) word = with_name(word, host.name);
}

// Each host with the names of its groups, and with the settings of defaults and groups.
void start_with_groups(Inventory& inventory, const WrittenInventory& written,
                       const std::vector<std::vector<std::size_t>>& members) {
    for (const WrittenHost& host : written.hosts) {
        inventory.hosts.push_back({.name = host.name, .settings = written.defaults});
    }
    for (std::size_t i = 0; i < written.groups.size(); ++i) {
        const std::string& group = written.groups[i].name;
        std::vector<std::string>& names = inventory.groups[group];
        for (const std::size_t member : members[i]) {
            Host& host = inventory.hosts[member];
            host.groups.push_back(group);
            names.push_back(host.name);
            overlay(host.settings, written.group_settings[i]);
        }
    }
}

void lay_entry_over(Host& host, const WrittenHost& written) {
    for (const HostSettings* range : written.ranges) overlay(host.settings, *range);
    if (written.own != nullptr) overlay(host.settings, *written.own);
    fill_in_name(host);
}

}  // namespace

Inventory load_inventory(std::string_view text, const std::string& file_name) {
    Problems problems(file_name);
    const YamlDocument document = parse_yaml(text, problems);
    const WrittenInventory written = read_written_inventory(document, problems);
    const auto members =
        resolve_groups(written.groups, written.host_index, written.known_names, problems);
    problems.throw_if_any();
    if (written.hosts.empty()) {
        problems.add(written.hosts_place, "no hosts; write them as keys of a map below hosts:");
        problems.throw_if_any();
    }
    Inventory inventory;
    inventory.hosts.reserve(written.hosts.size());
    start_with_groups(inventory, written, members);
    for (std::size_t i = 0; i < written.hosts.size(); ++i) {
        lay_entry_over(inventory.hosts[i], written.hosts[i]);
    }
    return inventory;
}

}  // namespace gpumuster
