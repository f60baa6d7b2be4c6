#pragma once

#include <optional>
#include <stop_token>
#include <string>

#include "gpumuster/transport/loop/unique_fd.hpp"
#include "gpumuster/transport/ssh/secret.hpp"

namespace gpumuster {

// A line typed without being shown. One at a time in a process: it catches signals while it waits.
class TerminalPrompt {
public:
    explicit TerminalPrompt(const std::string& path);

    bool is_there() const { return fd_.is_open(); }

    // See ask_secret().
    std::optional<Secret> ask(const std::string& prompt, const std::stop_token& stop) const;

private:
    UniqueFd fd_;
};

}  // namespace gpumuster
