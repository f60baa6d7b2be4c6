#pragma once

#include <string>
#include <vector>

namespace gpumuster::test {

// What the fake nvidia-smi answers to one kind of query.
struct SmiAnswer {
    std::string out;
    std::string err;
    int exit_status = 0;
    bool hangs = false;  // after it has printed
};

// A fake nvidia-smi: a shell script in a folder of its own that replays recorded answers.
struct FakeSmi {
    SmiAnswer full;       // the health-bearing --query-gpu
    SmiAnswer minimal;    // --query-gpu=index,memory.used
    SmiAnswer processes;  // --query-compute-apps

    // Eight healthy GPUs, or as many as there are values, with the given memory in use.
    static FakeSmi with_memory(const std::vector<int>& used_mib);
};

// Writes the script and its answers into `folder`, which is to be on PATH.
void write_fake_smi(const FakeSmi& smi, const std::string& folder);

}  // namespace gpumuster::test
