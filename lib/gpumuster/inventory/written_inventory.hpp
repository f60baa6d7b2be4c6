#pragma once

#include <deque>
#include <string>
#include <vector>

#include "gpumuster/inventory/group_members.hpp"
#include "gpumuster/inventory/host.hpp"
#include "gpumuster/inventory/problems.hpp"
#include "gpumuster/inventory/yaml_document.hpp"

namespace gpumuster {

// A host and the entries of the file that speak of it.
struct WrittenHost {
    std::string name;
    std::vector<const HostSettings*> ranges;  // in the order of the file
    const HostSettings* own = nullptr;        // the entry with its literal name
};

// An inventory as it is written, read and checked, before its settings are merged.
struct WrittenInventory {
    HostSettings defaults;
    std::vector<WrittenHost> hosts;    // in the order of their first appearance
    HostIndex host_index;              // into hosts
    std::deque<HostSettings> entries;  // owns what hosts point to; a deque never moves them
    std::vector<WrittenGroup> groups;
    std::vector<HostSettings> group_settings;  // one for each of groups
    KnownNames known_names = KnownNames::all;
    Place hosts_place;  // of the key `hosts`, where there is one
};

// Adds what cannot be taken to `problems`.
WrittenInventory read_written_inventory(const YamlDocument& document, Problems& problems);

}  // namespace gpumuster
