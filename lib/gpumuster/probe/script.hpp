#pragma once

#include <chrono>
#include <span>
#include <string>

#include "gpumuster/probe/section_kind.hpp"

namespace gpumuster {

// One line of printable ASCII without ', ! and \ for /bin/sh, that prints the frame with the
// sections in their order. `bound` is the time given to each command on the target.
std::string framed_script(const std::string& marker, std::chrono::seconds bound,
                          std::span<const SectionKind> sections);

// The command deadline less 5 s, so that the target ends a hung command before we leave; at least
// half of the deadline and at least 1 s.
std::chrono::seconds bound_on_target(std::chrono::milliseconds limit);

}  // namespace gpumuster
