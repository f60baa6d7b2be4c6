#include "host_selection.hpp"

#include <utility>

#include <fmt/format.h>

#include "gpumuster/base/input_error.hpp"
#include "gpumuster/inventory/inventory.hpp"

namespace gpumuster {
namespace {

Host this_machine(const std::string& name) {
    Host host;
    host.name = name;
    host.reach = Reach::local;
    return host;
}

std::vector<Host> hosts_without_flags(const CommandLine& line, const LocalFacts& facts) {
    if (line.is_local) return {this_machine(facts.machine_name)};
    if (line.inventories.empty()) return hosts_from_arguments(line.targets, line.excluded);
    std::vector<Inventory> inventories;
    for (const std::string& file : line.inventories) {
        inventories.push_back(load_inventory_file(file));
    }
    return select_hosts(merge_inventories(std::move(inventories)), line.targets, line.excluded);
}

// A shell does not expand the ~ of --identity=~/x.
void expand_home(std::vector<std::string>& files, const std::string& home) {
    for (std::string& file : files) {
        if (file.starts_with("~/")) file.replace(0, 1, home);
    }
}

void refuse_shared_container(const std::vector<Host>& hosts, const HostSettings& flags) {
    if (!flags.container || hosts.size() == 1) return;
    const bool is_pct = flags.container->kind == ContainerEntry::Kind::pct;
    throw InputError(
        fmt::format("{} names one container, and {} hosts are selected; name one "
                    "host, or give each its container: in an inventory",
                    is_pct ? "--pct" : "--docker", hosts.size()));
}

}  // namespace

LocalFacts local_facts(const Account& account, const Environment& environment) {
    return {machine_name(), environment.variable("HOME").value_or(account.home)};
}

std::vector<Host> selected_hosts(const CommandLine& line, const LocalFacts& facts) {
    HostSettings flags = line.flags;
    expand_home(flags.identities, facts.home);
    expand_home(flags.known_hosts, facts.home);
    std::vector<Host> hosts = hosts_without_flags(line, facts);
    refuse_shared_container(hosts, flags);
    for (Host& host : hosts) override_settings(host, flags);
    return hosts;
}

}  // namespace gpumuster
