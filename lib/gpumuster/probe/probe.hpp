#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "gpumuster/base/command.hpp"
#include "gpumuster/probe/readings.hpp"

namespace gpumuster {

// The random word that frames one visit's answer: 16 lower-case hexadecimal digits.
struct Marker {
    std::string text;
};

// A question of the ladder. One visit asks `full` or `minimal` first; the others follow only when
// an answer calls for them.
enum class Question {
    full,            // script: facts, the health-bearing query, the process query
    minimal_framed,  // script: index and memory.used, after a refused field
    minimal_bare,    // the plain query, sent bare
    owners,          // script: who the listed pids are
};

// The queries, without their path: what docs, tests and the fake nvidia-smi know as well.
extern const char* const full_gpu_query;
extern const char* const minimal_gpu_query;
extern const char* const process_query;

// `limit` is the command deadline; commands on the target are bounded a little tighter, so that
// the target ends them before we leave.
RemoteCommand first_question(ProbeLevel level, const Marker& marker,
                             std::chrono::milliseconds limit);

// Reads the answer to a question into `readings`, adding to what is there. Accepts everything: a
// torn frame, noise, no frame at all.
void read_answer(Question question, const CommandOutput& output, const Marker& marker,
                 HostReadings& readings);

struct NextQuestion {
    Question question;
    RemoteCommand command;
};

// What to ask next on the open session, given what was asked so far; empty when the host has
// said what it can. Never asks the same question twice, and never while an nvidia-smi hangs.
std::optional<NextQuestion> next_question(const HostReadings& readings,
                                          const std::vector<Question>& asked, const Marker& marker,
                                          std::chrono::milliseconds limit);

}  // namespace gpumuster
