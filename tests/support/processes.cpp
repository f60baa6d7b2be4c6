#include "support/processes.hpp"

#include <array>
#include <chrono>
#include <cstdio>
#include <string>
#include <thread>

namespace gpumuster::test {
namespace {

std::string state_of(pid_t pid) {
    const std::string command = "ps -o stat= -p " + std::to_string(pid);
    std::FILE* pipe = ::popen(command.c_str(), "r");
    if (pipe == nullptr) return "?";
    std::array<char, 64> line{};
    const bool has_line = std::fgets(line.data(), line.size(), pipe) != nullptr;
    ::pclose(pipe);
    return has_line ? line.data() : "";
}

}  // namespace

bool has_gone(pid_t pid) {
    // Nobody tells about the end of a process that is not one's child.
    for (int i = 0; i < 250; ++i) {
        const std::string state = state_of(pid);
        if (state.empty() || state.front() == 'Z') return true;
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    return false;
}

}  // namespace gpumuster::test
