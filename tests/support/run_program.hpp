#pragma once

#include <string>
#include <vector>

namespace gpumuster::test {

struct ProgramRun {
    std::string out;
    std::string err;
    int status = -1;  // exit status; -1 when a signal ended it
};

// Runs a program to its end with an empty standard input. `words.front()` is its name on PATH or
// its path. An empty environment stands for this process's own.
ProgramRun run_program(const std::vector<std::string>& words,
                       const std::vector<std::string>& environment = {});

}  // namespace gpumuster::test
