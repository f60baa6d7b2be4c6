#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace gpumuster {

// What may name a container. Such words stand in a command for a login shell, of whatever kind.

// The numbers that Proxmox gives.
inline constexpr int lowest_pct = 100;
inline constexpr int highest_pct = 999'999'999;

// Empty when `text` can be the name or the ID of a container of docker; otherwise what is wrong,
// to stand after the quoted text.
std::optional<std::string> docker_name_fault(std::string_view text);

// The same for one word of the command that enters a container: printable ASCII without `!` and
// backslash, which csh and fish change within any quotes.
std::optional<std::string> entry_word_fault(std::string_view text);

}  // namespace gpumuster
