#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "gpumuster/inventory/host.hpp"

namespace gpumuster {

// The tool that enters the container and its arguments, up to the command: pct exec 129 --
std::vector<std::string> entry_words(const ContainerEntry& container);

// What the host's /bin/sh runs, with these arguments: the script for the container's shell, the
// command, the words of the entry. One line without single quotes. It costs no process but the
// tool's own, and says on standard error what it found, in the words of entry_lines.hpp.
std::string entry_script(ContainerEntry::Kind kind);

// What the container's /bin/sh runs, with the command as its argument.
std::string script_in_container(std::chrono::milliseconds limit);

}  // namespace gpumuster
