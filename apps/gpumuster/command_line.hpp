#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "environment.hpp"
#include "gpumuster/inventory/host.hpp"
#include "gpumuster/probe/readings.hpp"
#include "gpumuster/report/render.hpp"

namespace gpumuster {

enum class Subcommand { check, hosts };
enum class OutputFormat { table, json };
enum class ColourWish { automatic, always, never };

// What the user asked for, known before anything is read or contacted.
struct CommandLine {
    // `first_steps`: gpumuster alone, with no inventory to fall back on.
    enum class Action { inspect, help, version, first_steps };

    Action action = Action::inspect;
    Subcommand subcommand = Subcommand::check;

    bool is_local = false;                 // this machine; then the three below are empty
    std::vector<std::string> targets;      // as typed
    std::vector<std::string> inventories;  // files, "-" is standard input; the default one included
    std::vector<std::string> excluded;     // as typed

    HostSettings flags;  // wins over every host's own settings; a container is for one host only
    bool reads_ssh_config = true;
    std::optional<std::string> ssh_config;  // in place of the user's and the system's; as typed
    bool asks_password = false;
    ProbeLevel probe = ProbeLevel::full;
    std::optional<std::chrono::milliseconds> timeout;  // of the whole run
    std::size_t parallel = 0;                          // 0: nobody said
    std::optional<std::chrono::milliseconds> splay;    // the starts are spread over it

    OutputFormat output = OutputFormat::table;
    TableWidth width = TableWidth::compact;
    ColourWish colour = ColourWish::automatic;
    bool is_verbose = false;
};

// `arguments` are those after the program's name. The subcommand is the first word that is no
// option, if it is the name of one; whatever follows `--` is a target. Of an option that is given
// twice and holds one value, the last counts. Throws InputError with one line.
CommandLine parse_command_line(std::span<const std::string> arguments,
                               const Environment& environment);

// Every spelling of every option: "-i", "--inventory", …
std::vector<std::string> option_names();

}  // namespace gpumuster
