#pragma once

#include "gpumuster/probe/section_kind.hpp"

namespace gpumuster {

// The version of the loaded kernel module, which the kernel tells without asking the driver.
SectionKind driver_section();

}  // namespace gpumuster
