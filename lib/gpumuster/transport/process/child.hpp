#pragma once

#include <sys/types.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "gpumuster/transport/loop/unique_fd.hpp"

namespace gpumuster {

// Whether a child can ask the user anything on the terminal of ours.
enum class Terminal {
    shared,
    none,  // a session of its own, which has no terminal; its group is its own as well
};

struct ChildSurroundings {
    std::map<std::string, std::string> environment;  // on top of ours
    Terminal terminal = Terminal::shared;
};

// A child process in a group of its own. Killed with its group, and reaped, when the object goes.
class Child {
public:
    // Empty when it cannot be started; errno says why.
    static std::optional<Child> start(const std::vector<std::string>& argv,
                                      const ChildSurroundings& surroundings = {});

    Child(Child&& other) noexcept;
    Child& operator=(Child&&) = delete;
    ~Child();

    // Read ends, non-blocking.
    UniqueFd out;
    UniqueFd err;

    // A descriptor that becomes readable when the child ends, where the system has one (Linux).
    UniqueFd exit_notice() const;

    // The wait status once it has ended; empty while it runs. The child is reaped only when this
    // object goes, so that its number, which is the group's, stays taken until then.
    std::optional<int> status();
    bool has_ended() { return status().has_value(); }

    void kill_group();

private:
    explicit Child(pid_t pid) : pid_(pid) {}
    pid_t pid_ = -1;
};

}  // namespace gpumuster
