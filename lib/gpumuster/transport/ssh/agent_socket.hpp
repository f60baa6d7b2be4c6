#pragma once

#include <string>

#include "gpumuster/transport/loop/unique_fd.hpp"

namespace gpumuster {

struct AgentSocket {
    UniqueFd fd;             // non-blocking, close-on-exec; open when connected
    bool is_busy = false;    // its queue is full: try again a moment later
    bool is_absent = false;  // nobody listens there
    std::string detail;      // why it is not connected
};

// Connects to the Unix socket of an agent without waiting.
AgentSocket connect_to_agent(const std::string& path);

// What a read or write that must not wait did. `gone`: closed, reset, or another error.
enum class Io { done, would_wait, gone };

// Sends what it can of `text` and takes that off its front; `done` when all is sent.
Io send_some(int fd, std::string& text);
// Appends what is there to `text`.
Io receive_some(int fd, std::string& text);

}  // namespace gpumuster
