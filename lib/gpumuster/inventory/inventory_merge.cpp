#include <algorithm>
#include <iterator>
#include <set>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "gpumuster/base/input_error.hpp"
#include "gpumuster/inventory/inventory.hpp"

namespace gpumuster {
namespace {

// Names that would mean two things once the files are one inventory.
std::vector<std::string> clashes(const std::vector<Inventory>& inventories) {
    std::vector<std::string> lines;
    std::unordered_set<std::string> hosts;
    for (const Inventory& inventory : inventories) {
        for (const Host& host : inventory.hosts) {
            if (hosts.insert(host.name).second) continue;
            lines.push_back(fmt::format("host \"{}\" stands in two inventories", host.name));
        }
    }
    std::set<std::string> groups;
    for (const Inventory& inventory : inventories) {
        for (const auto& [group, members] : inventory.groups) groups.insert(group);
    }
    for (const std::string& group : groups) {
        if (hosts.count(group) == 0) continue;
        lines.push_back(
            fmt::format("\"{}\" is a host in one inventory and a group in another", group));
    }
    return lines;
}

}  // namespace

Inventory merge_inventories(std::vector<Inventory> inventories) {
    if (auto lines = clashes(inventories); !lines.empty()) throw InputError(std::move(lines));
    Inventory merged;
    for (Inventory& inventory : inventories) {
        std::move(inventory.hosts.begin(), inventory.hosts.end(), std::back_inserter(merged.hosts));
        for (const auto& [group, members] : inventory.groups) {
            std::vector<std::string>& all = merged.groups[group];
            all.insert(all.end(), members.begin(), members.end());
        }
    }
    return merged;
}

}  // namespace gpumuster
