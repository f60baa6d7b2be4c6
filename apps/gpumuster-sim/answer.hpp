#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "gpumuster-sim/scenario.hpp"

namespace gpumuster::sim {

// How an answer ends once its bytes are written.
enum class AnswerEnd {
    exited,          // exit_status, then the channel closes
    signalled,       // exit-signal, then the channel closes
    without_status,  // the channel closes
    never,           // nothing more, for as long as the client stays
    connection_cut,  // the connection ends without a word of SSH
    endless,         // `out` again and again
};

// What a host sends for one exec request.
struct Answer {
    std::string out;
    std::string err;
    AnswerEnd end = AnswerEnd::exited;
    int exit_status = 0;
    std::string signal = {};  // "KILL"
};

// The answer of a host in its state. No shell runs: a script of gpumuster's is known by its
// marker, and each section that it asks for is filled in; a bare nvidia-smi query is answered as
// it stands; anything else is not found, as a shell says it, with status 127.
Answer answer_command(const SimulatedHost& host, std::string_view command);

// Answers instead of the host where it returns a value: for tests that need an output of their
// own. Called on the thread of SimulatedFleet::run.
using Responder =
    std::function<std::optional<Answer>(const SimulatedHost& host, std::string_view command)>;

}  // namespace gpumuster::sim
