#pragma once

#include <cstdint>
#include <vector>

#include "gpumuster/probe/section_kind.hpp"

namespace gpumuster {

// How many pids are looked up at most; the rest stays known by nvidia-smi's name.
inline constexpr std::size_t most_owners = 64;

// Section "owners": user, state, age and command line of pids, read by ps. A ps that cannot
// (busybox) answers nothing.
SectionKind owners_section(const std::vector<std::int64_t>& pids);

}  // namespace gpumuster
