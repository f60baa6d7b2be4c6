#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "gpumuster/transport/loop/unique_fd.hpp"

namespace gpumuster {

// A child process in a group of its own. Killed with its group, and reaped, when the object goes.
class Child {
public:
    // Empty when it cannot be started; errno says why.
    static std::optional<Child> start(const std::vector<std::string>& argv);

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
