#pragma once

#include <functional>
#include <optional>
#include <string>

namespace gpumuster {

// What the process can ask its surroundings, as functions, so that tests answer instead.
struct Environment {
    // The value of an environment variable; empty when it is unset or has no text.
    std::function<std::optional<std::string>(const std::string& name)> variable;
    std::function<bool(const std::string& path)> file_exists;
    // Why a file cannot be read again and again, "No such file or directory"; empty when it can.
    std::function<std::optional<std::string>(const std::string& path)> reading_fault;
    // Whether a program is there that this process may run.
    std::function<bool(const std::string& path)> is_program;
};

Environment process_environment();

// The inventory that is used when the user named neither a target nor an inventory:
// $GPUMUSTER_INVENTORY, there or not; else gpumuster/fleet.yaml in $XDG_CONFIG_HOME or ~/.config,
// if it exists.
std::optional<std::string> default_inventory(const Environment& environment);

}  // namespace gpumuster
