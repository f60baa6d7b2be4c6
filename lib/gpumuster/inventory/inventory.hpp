#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gpumuster/inventory/host.hpp"

namespace gpumuster {

// A loaded inventory: every host with its settings merged (host > range > group > defaults), in
// the order of the file. Immutable after loading.
struct Inventory {
    std::vector<Host> hosts;
    std::map<std::string, std::vector<std::string>> groups;  // name → hosts, in order
};

// The native format, YAML or JSON (see docs/inventory.md). `file_name` is what messages call it.
// Pure: paths stay as they are written. Throws InputError with every error of the text, each
// `file:line:column: …`.
Inventory load_inventory(std::string_view text, const std::string& file_name);

// Reads the file ("-" is standard input, called <stdin>) and loads it. In paths of keys and
// known_hosts, ~/ becomes $HOME, and what is relative is seen from the folder of the file, for
// standard input from the working directory. Throws InputError.
Inventory load_inventory_file(const std::string& path);

// Several files as one inventory. A host named in two of them is an InputError; a group named in
// two is the union.
Inventory merge_inventories(std::vector<Inventory> inventories);

// The hosts meant by `targets` (names, ranges, groups; each may be a comma-separated list) without
// those meant by `excluded`; no targets and the word "all" mean all. Each host once, in inventory
// order. A word that the inventory does not know is an InputError that names the nearest one it
// knows; so is an exclusion that leaves no host, since nothing inspected must not look like
// success.
std::vector<Host> select_hosts(const Inventory& inventory, std::span<const std::string> targets,
                               std::span<const std::string> excluded);

// Hosts typed without an inventory: `[user@]host[:port]`, `[user@][v6]:port`, `ssh://…`, ranges and
// comma-separated lists. `name:8` is a port here, as the one documented rule says; a bare IPv6
// address has no port. A host is named as it was typed, without ssh://. `excluded` takes names and
// ranges; a name also excludes the targets that have it as address. Throws InputError.
std::vector<Host> hosts_from_arguments(std::span<const std::string> targets,
                                       std::span<const std::string> excluded);

// Settings from flags win over everything that the inventory said.
void override_settings(Host& host, const HostSettings& flags);

}  // namespace gpumuster
