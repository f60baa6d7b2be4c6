#pragma once

#include <string>

#include "gpumuster/inventory/host.hpp"
#include "gpumuster/inventory/problems.hpp"
#include "gpumuster/inventory/yaml_document.hpp"

namespace gpumuster {

// What a map of settings is written for.
struct SettingsOwner {
    enum class Kind { defaults, group, host, range };

    Kind kind = Kind::defaults;
    std::string name;  // empty for defaults
};

// `host "node07"`, `group "training"`, `defaults`.
std::string owner_name(const SettingsOwner& owner);

// Reads a map of settings; nothing in its place sets nothing. What cannot be taken is added to
// `problems` and left out. In a group, the key `hosts` is left to the caller.
HostSettings read_settings(const YamlNode& node, const SettingsOwner& owner, Problems& problems);

}  // namespace gpumuster
