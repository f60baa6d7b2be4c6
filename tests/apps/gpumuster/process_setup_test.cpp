#include "apps/gpumuster/process_setup.hpp"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/catch.hpp"

using namespace gpumuster;

namespace {

// Whether a claim holds in a child process, whose descriptors and limits are its own.
template <class Claim>
bool holds_in_child(Claim claim) {
    const pid_t child = fork();
    if (child == 0) _exit(claim() ? 0 : 1);
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

TEST_CASE("a closed standard output takes nothing instead of a connection's number") {
    CHECK(holds_in_child([] {
        close(STDIN_FILENO);
        close(STDOUT_FILENO);
        open_standard_descriptors();
        const int next = dup(STDERR_FILENO);
        return next > STDERR_FILENO && write(STDOUT_FILENO, "x", 1) == -1;
    }));
}

TEST_CASE("standard descriptors that are open stay as they are") {
    CHECK(holds_in_child([] {
        int ends[2];
        if (pipe(ends) != 0) return false;
        dup2(ends[1], STDOUT_FILENO);
        open_standard_descriptors();
        return write(STDOUT_FILENO, "x", 1) == 1;
    }));
}

TEST_CASE("there is no core file with keys in it") {
    CHECK(holds_in_child([] {
        forbid_core_files();
        rlimit limit{};
        return getrlimit(RLIMIT_CORE, &limit) == 0 && limit.rlim_cur == 0;
    }));
}

TEST_CASE("the limit of descriptors is raised, never lowered") {
    CHECK(holds_in_child([] {
        rlimit limit{};
        if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return false;
        limit.rlim_cur = 64;
        if (setrlimit(RLIMIT_NOFILE, &limit) != 0) return false;
        raise_descriptor_limit();
        rlimit raised{};
        return getrlimit(RLIMIT_NOFILE, &raised) == 0 && raised.rlim_cur > 64 &&
               raised.rlim_cur <= limit.rlim_max && raised.rlim_max == limit.rlim_max;
    }));
    CHECK(holds_in_child([] {
        rlimit before{};
        rlimit after{};
        raise_descriptor_limit();
        getrlimit(RLIMIT_NOFILE, &before);
        raise_descriptor_limit();
        getrlimit(RLIMIT_NOFILE, &after);
        return before.rlim_cur == after.rlim_cur;
    }));
}
