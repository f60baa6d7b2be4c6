#pragma once

#include <cstddef>
#include <string>
#include <unordered_map>
#include <vector>

#include "gpumuster/inventory/problems.hpp"

namespace gpumuster {

// A group as it is written: its members are words, each a host, a range, or another group.
struct WrittenGroup {
    struct Member {
        std::string word;
        Place place;
    };
    std::string name;
    std::vector<Member> members;
    bool has_refused_members = false;  // some member was already reported and is left out
};

using HostIndex = std::unordered_map<std::string, std::size_t>;  // name → position in the inventory

// Whether every name of the file could be read. When some could not, a member that nobody knows may
// well be one of those, and is passed over in silence.
enum class KnownNames { all, some };

// The hosts of each group, as sorted positions without repetition. Members that nobody knows,
// groups that contain themselves, and more than max_memberships in all are added to `problems`.
inline constexpr std::size_t max_memberships = 4'000'000;
inline constexpr std::size_t max_group_nesting = 16;
std::vector<std::vector<std::size_t>> resolve_groups(const std::vector<WrittenGroup>& groups,
                                                     const HostIndex& hosts, KnownNames known,
                                                     Problems& problems);

}  // namespace gpumuster
