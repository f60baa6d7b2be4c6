#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gpumuster/probe/readings.hpp"

namespace gpumuster {

// The one place that knows how nvidia-smi, and shells that cannot start it, word their errors.
// nvidia-smi writes them to stdout, between rows or instead of them, and its exit codes collide
// with those of shells, timeout and ssh: the text decides, the code supports.

// Whose exit status it is. That of a login shell says nothing about nvidia-smi unless a line names
// it: an rc file that ends in `exec zsh` gives 127 as well.
enum class Speaker { nvidia_smi, login_shell };

struct Diagnosis {
    std::vector<SmiError> errors;  // each once, at most 64
    bool field_refused = false;
    bool tool_missing = false;
    std::string quote;  // of the lines that were not understood, made safe and short
};

// `lines` are those of both streams that are no rows.
Diagnosis diagnose(std::span<const std::string_view> lines, std::optional<int> exit_status,
                   Speaker speaker);

// The alarm that stands in a cell instead of a value: "[GPU requires reset]", "[GPU is lost]", and
// "[Unknown Error]" or "ERR!".
std::optional<SmiErrorKind> alarm_in_cell(std::string_view cell);

// Whether the status means that nvidia-smi did not end on its own: 124 and 137 are GNU timeout's,
// 143 is that of busybox.
bool is_timeout_status(int exit_status);

}  // namespace gpumuster
