#include "support/processes.hpp"

#include <signal.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <sstream>
#include <string>
#include <thread>

#include "support/components.hpp"
#include "support/program.hpp"

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

std::vector<pid_t> children_of(pid_t pid) {
    const std::string number = std::to_string(pid);
    std::istringstream words(read_file("/proc/" + number + "/task/" + number + "/children"));
    std::vector<pid_t> children;
    for (pid_t child = 0; words >> child;) children.push_back(child);
    return children;
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

void kill_with_descendants(pid_t pid) {
    // One that is stopped has no further children.
    ::kill(pid, SIGSTOP);
    for (const pid_t child : children_of(pid)) kill_with_descendants(child);
    ::kill(pid, SIGKILL);
}

std::vector<std::string> ended_with_us(std::vector<std::string> argv) {
    const std::string setpriv = program_path("setpriv");
    if (setpriv.empty()) return argv;
    argv.insert(argv.begin(), {setpriv, "--pdeathsig", "KILL"});
    return argv;
}

}  // namespace gpumuster::test
