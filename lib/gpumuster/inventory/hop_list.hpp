#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "gpumuster/inventory/host.hpp"

namespace gpumuster {

inline constexpr std::size_t max_hops = 8;
inline constexpr std::string_view hop_list_syntax =
    "[USER@]HOST[:PORT], several with commas in the order in which they are passed, or none";

// Jump hosts as `ssh -J` takes them, and ssh:// as in targets. The word `none` is an empty list.
// The error is a phrase without a place: `hop "b:x": port "x" is not a number in 1-65535`.
tl::expected<std::vector<Hop>, std::string> parse_hop_list(std::string_view list);

// `none`, in capitals too, as ssh takes it.
bool means_no_hop(std::string_view list);

}  // namespace gpumuster
