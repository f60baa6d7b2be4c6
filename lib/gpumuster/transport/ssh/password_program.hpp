#pragma once

#include <chrono>
#include <optional>
#include <stop_token>
#include <string>

#include "gpumuster/transport/ssh/secret.hpp"

namespace gpumuster {

// Asks the user through a program of theirs, as ssh does with SSH_ASKPASS: it is started with the
// prompt as its only argument, and prints the answer as a line. `program` is a full path. Blocks
// until the program ends, at most for `patience`. Empty: it cannot be started, it failed, or the
// user declined. Called where no loop runs; stop may be requested from any thread.
std::optional<Secret> ask_by_program(const std::string& program, const std::string& prompt,
                                     std::chrono::milliseconds patience, std::stop_token stop);

}  // namespace gpumuster
