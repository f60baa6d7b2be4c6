#pragma once

#include <cstddef>

namespace gpumuster::test {

// How many descriptors this process has open now.
std::size_t open_descriptors();

}  // namespace gpumuster::test
