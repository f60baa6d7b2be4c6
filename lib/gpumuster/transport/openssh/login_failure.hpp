#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "gpumuster/base/failure.hpp"
#include "gpumuster/transport/effective_settings.hpp"
#include "gpumuster/transport/openssh/ssh_transcript.hpp"

namespace gpumuster {

// A login that the line at `index` says is refused; empty for any other line.
std::optional<Failure> denied_login(const std::vector<SshLine>& lines, std::size_t index,
                                    const EffectiveSettings& settings);

// Why the login at the target came to nothing; `lines` are those after the key exchange, and
// `settings` have no hops.
std::optional<Failure> login_failure(const std::vector<SshLine>& lines,
                                     const EffectiveSettings& settings);

}  // namespace gpumuster
