#pragma once

#include "gpumuster/probe/section_kind.hpp"

namespace gpumuster {

// Looks for an nvidia-smi that sits in state D (uninterruptible, in the driver) for more than a
// minute. Where there is one, no new one is started: it would only join it.
SectionKind stuck_section();

}  // namespace gpumuster
