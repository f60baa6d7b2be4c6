#pragma once

#include <cstddef>
#include <memory>

#include "gpumuster/transport/transport.hpp"

namespace gpumuster {

// This machine itself, by the same interface: the command runs in a child process of its own group
// and is ended with that group at its deadline.
std::unique_ptr<Transport> make_local_transport(std::size_t output_cap_bytes = 1 << 20);

}  // namespace gpumuster
