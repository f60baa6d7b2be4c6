#pragma once

#include <string_view>
#include <vector>

#include "gpumuster/base/failure.hpp"

namespace gpumuster {

// What pct, lxc-attach, docker, podman, incus, lxc, kubectl, nsenter, apptainer and sudo say when
// they do not enter a container.
struct ToolSentence {
    std::string_view text;
    std::string_view also;  // another part of the same line; empty: none
    FailureKind kind = FailureKind::container_failed;
    std::string_view next_step;  // empty: that of the kind
};

struct SaidSentence {
    const ToolSentence* sentence;
    std::string_view line;
};

// The first of our sentences that stands in one of the lines; null when none does.
SaidSentence find_tool_sentence(const std::vector<std::string_view>& lines);

}  // namespace gpumuster
