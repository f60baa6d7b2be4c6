#pragma once

#include <sys/types.h>

namespace gpumuster::test {

// Whether a process is gone, or only waits to be reaped by who adopted it. Gives one that has just
// been killed up to five seconds to go.
bool has_gone(pid_t pid);

}  // namespace gpumuster::test
