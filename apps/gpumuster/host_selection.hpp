#pragma once

#include <string>
#include <vector>

#include "account.hpp"
#include "command_line.hpp"
#include "environment.hpp"
#include "gpumuster/inventory/host.hpp"

namespace gpumuster {

// What this machine says about itself, passed in so that tests set it.
struct LocalFacts {
    std::string machine_name;  // what --local calls it
    std::string home;          // what "~/" at the start of a flag's file stands for
};

// Of this process: for "~/" it is $HOME, which a shell would have put there.
LocalFacts local_facts(const Account& account, const Environment& environment);

// The hosts that the command line means, with the settings of flags laid over them. Reads the
// inventories. At least one; throws InputError otherwise.
std::vector<Host> selected_hosts(const CommandLine& line, const LocalFacts& facts);

}  // namespace gpumuster
