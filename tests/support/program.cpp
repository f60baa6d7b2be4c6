#include "support/program.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <thread>

#include "support/temp_dir.hpp"

extern char** environ;

namespace gpumuster::test {
namespace {

struct Redirects {
    std::string in = "/dev/null";
    std::string out;
    std::string err;
};

std::vector<std::string> merged_environment(const std::map<std::string, std::string>& ours) {
    std::vector<std::string> lines;
    for (char** one = environ; *one != nullptr; ++one) {
        const std::string line = *one;
        if (!ours.contains(line.substr(0, line.find('=')))) lines.push_back(line);
    }
    for (const auto& [name, value] : ours) lines.push_back(name + "=" + value);
    return lines;
}

std::vector<char*> pointers(std::vector<std::string>& words) {
    std::vector<char*> result;
    for (std::string& word : words) result.push_back(word.data());
    result.push_back(nullptr);
    return result;
}

int spawn(const ProgramOrder& order, const Redirects& redirects) {
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    constexpr int for_writing = O_WRONLY | O_CREAT | O_TRUNC;
    ::posix_spawn_file_actions_addopen(&actions, 0, redirects.in.c_str(), O_RDONLY, 0);
    ::posix_spawn_file_actions_addopen(&actions, 1, redirects.out.c_str(), for_writing, 0600);
    ::posix_spawn_file_actions_addopen(&actions, 2, redirects.err.c_str(), for_writing, 0600);
    std::vector<std::string> words = order.argv;
    std::vector<std::string> environment = merged_environment(order.environment);
    // A shell's background job ignores SIGINT and hands that on; the programs here do not.
    sigset_t as_usual;
    ::sigemptyset(&as_usual);
    ::sigaddset(&as_usual, SIGINT);
    ::sigaddset(&as_usual, SIGTERM);
    posix_spawnattr_t attributes;
    ::posix_spawnattr_init(&attributes);
    ::posix_spawnattr_setsigdefault(&attributes, &as_usual);
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
    pid_t pid = -1;
    const int code = ::posix_spawnp(&pid, words.front().c_str(), &actions, &attributes,
                                    pointers(words).data(), pointers(environment).data());
    ::posix_spawn_file_actions_destroy(&actions);
    ::posix_spawnattr_destroy(&attributes);
    if (code != 0) throw std::runtime_error("cannot start " + order.argv.front());
    return pid;
}

int status_of(int wait_status) {
    return WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : 128 + WTERMSIG(wait_status);
}

}  // namespace

std::string read_file(const std::string& path) {
    std::ifstream stream(path, std::ios::binary);
    std::ostringstream text;
    text << stream.rdbuf();
    return text.str();
}

ProgramResult run_program(const ProgramOrder& order) {
    const TempDir folder;
    Redirects redirects;
    redirects.in = folder.write("in", order.input);
    redirects.out = folder.file("out");
    redirects.err = folder.file("err");
    const int pid = spawn(order, redirects);
    int wait_status = 0;
    ::waitpid(pid, &wait_status, 0);
    return {status_of(wait_status), read_file(redirects.out), read_file(redirects.err)};
}

std::string gpumuster_program() {
    return GPUMUSTER_BIN_DIR "/gpumuster";
}
std::string simulator_program() {
    return GPUMUSTER_BIN_DIR "/gpumuster-sim";
}

BackgroundProgram::BackgroundProgram(const ProgramOrder& order, const std::string& out_file,
                                     const std::string& err_file) {
    Redirects redirects;
    redirects.out = out_file;
    redirects.err = err_file;
    pid_ = spawn(order, redirects);
}

BackgroundProgram::~BackgroundProgram() {
    if (!is_running()) return;
    send_signal(SIGTERM);
    wait();
}

bool BackgroundProgram::is_running() {
    if (has_ended_) return false;
    int wait_status = 0;
    if (::waitpid(pid_, &wait_status, WNOHANG) != pid_) return true;
    has_ended_ = true;
    status_ = status_of(wait_status);
    return false;
}

void BackgroundProgram::send_signal(int number) const {
    ::kill(pid_, number);
}

int BackgroundProgram::wait() {
    if (has_ended_) return status_;
    int wait_status = 0;
    ::waitpid(pid_, &wait_status, 0);
    has_ended_ = true;
    status_ = status_of(wait_status);
    return status_;
}

bool wait_for_text(const std::string& path, const std::string& text, BackgroundProgram& writer) {
    // A file tells nobody that it grew, short of inotify, which not every system has.
    for (int i = 0; i < 1000; ++i) {
        if (read_file(path).find(text) != std::string::npos) return true;
        if (!writer.is_running()) return false;
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return false;
}

}  // namespace gpumuster::test
