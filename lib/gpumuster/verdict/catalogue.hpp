#pragma once

#include <span>
#include <string>
#include <string_view>

#include "gpumuster/verdict/verdict.hpp"

namespace gpumuster {

// One row of the catalogue: all that is fixed about a finding. `next_step` may hold {host},
// and {ssh} where it is about the way to the host.
struct FindingKind {
    std::string_view code;
    Severity severity;
    Verdict verdict;  // what an error makes of its GPU or host; clean for info and warning
    std::string_view meaning;
    std::string_view next_step;
};

std::span<const FindingKind> catalogue();

// The row of a code that is in the catalogue; asking for another is a programming error.
const FindingKind& finding_kind(std::string_view code);

}  // namespace gpumuster
