#pragma once

#include <vector>

#include "gpumuster/base/command.hpp"
#include "gpumuster/base/remark.hpp"
#include "gpumuster/base/result.hpp"
#include "gpumuster/transport/effective_settings.hpp"
#include "gpumuster/transport/openssh/ssh_transcript.hpp"

namespace gpumuster {

// What came of a command, from how its ssh ended and what that wrote: a Failure where the command
// was never started, else the command's own output. ssh gives 255 for its own troubles, and a
// command may give 255 as well: they are told apart by how far ssh says it came and whether the
// host sent a status, and where it says neither, by whether the command printed something.
Result<CommandOutput> ssh_outcome(CommandOutput of_ssh, const EffectiveSettings& settings);

// What the user should know of the way in although it was open.
std::vector<Remark> ssh_remarks(const SshTranscript& transcript, const EffectiveSettings& settings);

}  // namespace gpumuster
