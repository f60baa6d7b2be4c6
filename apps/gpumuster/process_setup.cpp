#include "process_setup.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace gpumuster {
namespace {

// For 10,000 visits at a time with three descriptors each. Not more: what --local starts inherits
// it, and some programs close every descriptor up to the limit.
constexpr rlim_t enough_descriptors = 32'768;
// The most that macOS takes, whatever its hard limit says (OPEN_MAX).
constexpr rlim_t macos_descriptors = 10'240;

}  // namespace

void open_standard_descriptors() {
    for (int descriptor = 0; descriptor <= 2; ++descriptor) {
        if (::fcntl(descriptor, F_GETFD) != -1 || errno != EBADF) continue;
        // The lowest free number is the one that was found closed.
        static_cast<void>(::open("/dev/null", descriptor == 0 ? O_WRONLY : O_RDONLY));
    }
}

void ignore_broken_pipes() {
    ::signal(SIGPIPE, SIG_IGN);
}

void forbid_core_files() {
    rlimit limit{};
    if (::getrlimit(RLIMIT_CORE, &limit) != 0) return;
    limit.rlim_cur = 0;
    ::setrlimit(RLIMIT_CORE, &limit);
}

void raise_descriptor_limit() {
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
    for (const rlim_t wished : {enough_descriptors, macos_descriptors}) {
        rlimit raised = limit;
        raised.rlim_cur = std::min(wished, limit.rlim_max);
        if (raised.rlim_cur <= limit.rlim_cur) return;
        if (::setrlimit(RLIMIT_NOFILE, &raised) == 0) return;
    }
}

}  // namespace gpumuster
