#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "gpumuster/transport/effective_settings.hpp"
#include "gpumuster/transport/openssh/ssh_transcript.hpp"

namespace gpumuster {

// One sshd of a way: 0 is the first jump host, hops.size() the target.
using WayIndex = std::size_t;

// Which sshd the line at `index` is about, in a way over jump hosts. The one whose address (and
// port, where there is one) it names and no other; else by counting: for each jump host ssh starts
// another ssh, and when one of them ends, each of those above it says that its connection to
// "UNKNOWN port 65535" is closed. `has_closing_line`: the process that wrote the line says so too.
WayIndex place_of_line(const std::vector<SshLine>& lines, std::size_t index, bool has_closing_line,
                       const EffectiveSettings& settings);

// By counting alone.
WayIndex place_by_count(const std::vector<SshLine>& lines, std::size_t index, bool has_closing_line,
                        const EffectiveSettings& settings);

// "Connection closed by HOST port N" and whatever else ssh ends a connection with.
bool is_closing_line(const std::string& line);

const Login& login_at(const EffectiveSettings& settings, WayIndex place);
HopRef hop_at(const EffectiveSettings& settings, WayIndex place);

}  // namespace gpumuster
