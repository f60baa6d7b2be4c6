#pragma once

#include "command_line.hpp"
#include "environment.hpp"

namespace gpumuster {

// Inspects the hosts, prints the report on stdout and returns the exit status of the program.
// Throws InputError before anything is contacted.
int run_check(const CommandLine& line, const Environment& environment);

}  // namespace gpumuster
