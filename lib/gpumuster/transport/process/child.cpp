#include "gpumuster/transport/process/child.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#ifdef __linux__
#include <sys/syscall.h>
#endif

#include <array>
#include <cerrno>
#include <utility>

#include "gpumuster/transport/loop/wire.hpp"

extern char** environ;

namespace gpumuster {
namespace {

struct Pipe {
    UniqueFd read;
    UniqueFd write;
};

std::optional<Pipe> make_pipe() {
    std::array<int, 2> ends{};
#ifdef __linux__
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) return std::nullopt;
#else
    if (::pipe(ends.data()) != 0) return std::nullopt;
    for (const int end : ends) ::fcntl(end, F_SETFD, FD_CLOEXEC);
#endif
    Pipe pipe;
    pipe.read.reset(ends[0]);
    pipe.write.reset(ends[1]);
    set_nonblocking(pipe.read.get());
    return pipe;
}

// Ours, with what is set on top.
std::vector<std::string> environment_with(const std::map<std::string, std::string>& set) {
    std::vector<std::string> entries;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const std::string text = *entry;
        if (!set.contains(text.substr(0, text.find('=')))) entries.push_back(text);
    }
    for (const auto& [name, value] : set) entries.push_back(name + "=" + value);
    return entries;
}

std::vector<char*> pointers_to(const std::vector<std::string>& texts) {
    std::vector<char*> pointers;
    for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
    pointers.push_back(nullptr);
    return pointers;
}

// posix_spawn, not fork: other threads hold locks that a forked child would inherit.
class SpawnPlan {
public:
    SpawnPlan(int out, int err, Terminal terminal) {
        ::posix_spawn_file_actions_init(&actions_);
        ::posix_spawn_file_actions_addopen(&actions_, 0, "/dev/null", O_RDONLY, 0);
        ::posix_spawn_file_actions_adddup2(&actions_, out, 1);
        ::posix_spawn_file_actions_adddup2(&actions_, err, 2);

        // We block and ignore signals that a command expects to work as usual.
        sigset_t none;
        sigset_t all;
        ::sigemptyset(&none);
        ::sigfillset(&all);
        ::posix_spawnattr_init(&attributes_);
        ::posix_spawnattr_setpgroup(&attributes_, 0);
        ::posix_spawnattr_setsigmask(&attributes_, &none);
        ::posix_spawnattr_setsigdefault(&attributes_, &all);
        // The leader of a session leads a group as well, and may not be moved to another.
        const int group = terminal == Terminal::none ? POSIX_SPAWN_SETSID : POSIX_SPAWN_SETPGROUP;
        ::posix_spawnattr_setflags(&attributes_, static_cast<short>(group | POSIX_SPAWN_SETSIGMASK |
                                                                    POSIX_SPAWN_SETSIGDEF));
    }
    ~SpawnPlan() {
        ::posix_spawn_file_actions_destroy(&actions_);
        ::posix_spawnattr_destroy(&attributes_);
    }
    SpawnPlan(const SpawnPlan&) = delete;
    SpawnPlan& operator=(const SpawnPlan&) = delete;

    int spawn(const std::vector<std::string>& argv,
              const std::map<std::string, std::string>& environment, pid_t& pid) const {
        const std::vector<char*> words = pointers_to(argv);
        const std::vector<std::string> entries = environment_with(environment);
        return ::posix_spawn(&pid, words.front(), &actions_, &attributes_, words.data(),
                             pointers_to(entries).data());
    }

private:
    posix_spawn_file_actions_t actions_;
    posix_spawnattr_t attributes_;
};

}  // namespace

std::optional<Child> Child::start(const std::vector<std::string>& argv,
                                  const ChildSurroundings& surroundings) {
    std::optional<Pipe> out = make_pipe();
    std::optional<Pipe> err = make_pipe();
    if (!out || !err) return std::nullopt;
    const SpawnPlan plan(out->write.get(), err->write.get(), surroundings.terminal);
    pid_t pid = -1;
    const int code = plan.spawn(argv, surroundings.environment, pid);
    if (code != 0) {
        errno = code;
        return std::nullopt;
    }
    Child child(pid);
    child.out = std::move(out->read);
    child.err = std::move(err->read);
    return child;
}

Child::Child(Child&& other) noexcept
    : out(std::move(other.out)), err(std::move(other.err)), pid_(std::exchange(other.pid_, -1)) {}

Child::~Child() {
    if (pid_ < 0) return;
    kill_group();
    ::waitpid(pid_, nullptr, WNOHANG);
}

UniqueFd Child::exit_notice() const {
#if defined(__linux__) && defined(SYS_pidfd_open)
    return UniqueFd(static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0)));
#else
    return UniqueFd();
#endif
}

std::optional<int> Child::status() {
    siginfo_t info{};
    if (::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
        info.si_pid != pid_) {
        return std::nullopt;
    }
    // The form that waitpid gives, for WIFEXITED and its kin.
    if (info.si_code == CLD_EXITED) return (info.si_status & 0xff) << 8;
    return info.si_status & 0x7f;
}

void Child::kill_group() {
    if (pid_ > 0) ::kill(-pid_, SIGKILL);
}

}  // namespace gpumuster
