#include "support/run_program.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>

#include "support/catch.hpp"
#include "support/scratch_folder.hpp"

extern char** environ;

namespace gpumuster::test {
namespace {

std::vector<char*> pointers_to(std::vector<std::string>& words) {
    std::vector<char*> pointers;
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    return pointers;
}

}  // namespace

ProgramRun run_program(const std::vector<std::string>& words,
                       const std::vector<std::string>& environment) {
    const ScratchFolder folder;
    const std::string out = folder.file("out");
    const std::string err = folder.file("err");
    constexpr int write_new = O_WRONLY | O_CREAT | O_TRUNC;
    posix_spawn_file_actions_t streams;
    ::posix_spawn_file_actions_init(&streams);
    ::posix_spawn_file_actions_addopen(&streams, 0, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_addopen(&streams, 1, out.c_str(), write_new, 0600);
    ::posix_spawn_file_actions_addopen(&streams, 2, err.c_str(), write_new, 0600);

    std::vector<std::string> arguments = words;
    std::vector<std::string> variables = environment;
    std::vector<char*> argument_pointers = pointers_to(arguments);
    std::vector<char*> variable_pointers = pointers_to(variables);
    char** const child_environment = environment.empty() ? environ : variable_pointers.data();
    pid_t pid = -1;
    const int error = ::posix_spawnp(&pid, arguments.front().c_str(), &streams, nullptr,
                                     argument_pointers.data(), child_environment);
    ::posix_spawn_file_actions_destroy(&streams);
    INFO(words.front());
    REQUIRE(error == 0);

    int status = 0;
    REQUIRE(::waitpid(pid, &status, 0) == pid);
    ProgramRun run;
    run.out = read_file(out);
    run.err = read_file(err);
    if (WIFEXITED(status)) run.status = WEXITSTATUS(status);
    return run;
}

}  // namespace gpumuster::test
