#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace gpumuster {

// Which loop visits which host, as indices.
struct Placement {
    std::vector<std::size_t> anywhere;               // in order, to whichever loop is free
    std::vector<std::vector<std::size_t>> per_loop;  // in order, to that loop only
};

// `shared` names for each host the session that its visit shares with others; empty: none. A
// session's hosts go to loops in blocks of 256, starting at a home loop that differs from session
// to session: so a bastion sees one login for a small fleet, and at most one a loop for a large
// one.
Placement place(std::span<const std::string> shared, std::size_t loops);

// How many visits each loop may have in flight: `workers` in all, by what there is for each to do,
// and at least one for a loop that has hosts of its own. `workers` is at least the number of loops.
std::vector<std::size_t> share_workers(const Placement& placement, std::size_t workers);

}  // namespace gpumuster
