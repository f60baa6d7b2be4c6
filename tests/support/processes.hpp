#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace gpumuster::test {

// Whether a process is gone, or only waits to be reaped by who adopted it. Gives one that has just
// been killed up to five seconds to go.
bool has_gone(pid_t pid);

// Kills a process and everything that descends from it, so that nobody escapes by being born
// meanwhile. Linux only; elsewhere the process alone.
void kill_with_descendants(pid_t pid);

// A command line that is ended together with this process, however that ends.
std::vector<std::string> ended_with_us(std::vector<std::string> argv);

}  // namespace gpumuster::test
