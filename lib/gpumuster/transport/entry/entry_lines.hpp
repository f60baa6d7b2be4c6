#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gpumuster/base/command.hpp"

namespace gpumuster {

// What the scripts of entry_script.hpp say about themselves on standard error: lines of this
// prefix and one of these words. After `entering` the tool has the word, after `inside` the
// command. The others end the script before it enters.
inline constexpr std::string_view entry_prefix = "gpumuster-entry: ";
inline constexpr std::string_view entry_entering = "entering";
inline constexpr std::string_view entry_inside = "inside";
inline constexpr std::string_view entry_tool_missing = "tool-missing";  // and the tool
inline constexpr std::string_view entry_frozen = "frozen";
inline constexpr std::string_view entry_other_node = "other-node";            // and the node
inline constexpr std::string_view entry_virtual_machine = "virtual-machine";  // and the node

struct EntryReport {
    bool has_begun = false;    // the host's sh ran the script
    bool has_entered = false;  // the container's sh runs the command
    std::string_view finding;  // what kept the script from entering
    std::string_view detail;
    std::vector<std::string_view> said;  // by the tool, without complaints about locales
};

// The views are into the output.
EntryReport read_entry(const CommandOutput& output);

// Takes the scripts' own lines out of standard error, so that only the command's are left.
void drop_entry_lines(CommandOutput& output);

}  // namespace gpumuster
