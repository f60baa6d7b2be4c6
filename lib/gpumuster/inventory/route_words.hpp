#pragma once

#include <array>
#include <utility>

#include "gpumuster/inventory/host.hpp"

namespace gpumuster {

// The values of `transport` and `host_keys`, in inventories and on the command line.
inline constexpr std::array<std::pair<const char*, TransportChoice>, 3> transport_words{{
    {"auto", TransportChoice::automatic},
    {"libssh", TransportChoice::libssh},
    {"openssh", TransportChoice::openssh},
}};
inline constexpr std::array<std::pair<const char*, NewHostKeys>, 2> host_keys_words{{
    {"refuse", NewHostKeys::refuse},
    {"accept-new", NewHostKeys::accept},
}};

}  // namespace gpumuster
