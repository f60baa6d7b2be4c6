#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "gpumuster/base/failure.hpp"
#include "gpumuster/transport/effective_settings.hpp"
#include "gpumuster/transport/openssh/ssh_transcript.hpp"

namespace gpumuster {

// What "Host key verification failed." at `index` comes of, told by the lines before it; empty for
// any other line.
std::optional<Failure> host_key_failure(const std::vector<SshLine>& lines, std::size_t index,
                                        const EffectiveSettings& settings);

}  // namespace gpumuster
