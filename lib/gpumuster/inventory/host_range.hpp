#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

namespace gpumuster {

// Expands a host expression in the grammar that pdsh, ClusterShell and Slurm share:
// `node[001-128]`, `node[1-3,7,10-20/2]`, `rack[1-2]-gpu[01-08].example`. Padding follows the low
// bound, so both `[001-128]` and pdsh's `[01-128]` are taken. Several brackets multiply, the last
// one runs fastest. A name without brackets is itself. Refused: `[3-1]`, `[a-c]`, `[]`, an
// unclosed or stray bracket, nesting, more than max_expanded_hosts names.
inline constexpr std::size_t max_expanded_hosts = 65'536;

// The error is a phrase without a place: `range "[3-1]" runs backwards`.
tl::expected<std::vector<std::string>, std::string> expand_host_range(std::string_view expression);

bool has_range(std::string_view expression);

// Splits a comma-separated list of expressions; commas inside brackets do not separate.
std::vector<std::string> split_host_list(std::string_view list);

}  // namespace gpumuster
