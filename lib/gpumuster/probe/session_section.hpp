#pragma once

#include "gpumuster/probe/section_kind.hpp"

namespace gpumuster {

// Who we are on the target: effective uid, and whether this is the machine's initial PID namespace
// (else nvidia-smi sees no process of others).
SectionKind session_section();

}  // namespace gpumuster
