#pragma once

#include <optional>
#include <string>

#include "gpumuster/base/failure.hpp"

namespace gpumuster {

struct SentenceMeaning {
    FailureKind kind;
    bool has_closing_line = false;  // "Connection closed by HOST port N" and its like follows
};

// What one line of ssh's means when it stands for the whole trouble. Those that need the lines
// around them (host keys, logins, channels, closed connections) are read in ssh_failure.
std::optional<SentenceMeaning> meaning_of(const std::string& line);

// The same for a line that a port says before the identification of an sshd, or in its place.
std::optional<SentenceMeaning> meaning_before_identification(const std::string& line);

// For what a jump host says it could not connect to: "Connection refused", "No route to host".
FailureKind kind_of_connect_error(const std::string& reason);

}  // namespace gpumuster
