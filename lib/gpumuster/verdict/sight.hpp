#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "gpumuster/probe/readings.hpp"

namespace gpumuster {

// Why the owner of something on a GPU cannot be seen from this login, and where to look instead.
struct Sight {
    std::string_view reason;     // completes "1523 MiB in use, and …"
    std::string_view next_step;  // may hold {host}; empty: as the catalogue says
};
Sight sight_of(const HostReadings& readings);

// "1523 MiB", "3-17 MiB".
std::string mib_text(std::int64_t least, std::int64_t most);

}  // namespace gpumuster
