#pragma once

#include <optional>

#include "gpumuster/base/failure.hpp"
#include "gpumuster/transport/effective_settings.hpp"
#include "gpumuster/transport/openssh/ssh_transcript.hpp"

namespace gpumuster {

// Why an ssh that ended by itself came to no command, from what it wrote: the one place that reads
// the sentences of OpenSSH. Looks only at what was said on the stage that was reached, since later
// ones hold words of the remote host. Empty when no sentence is known. On a way over jump hosts,
// whose own ssh speaks in the same stream, the hop is the one that the sentence names, else the one
// that the lines of the processes above it leave over.
std::optional<Failure> ssh_failure(const SshTranscript& transcript,
                                   const EffectiveSettings& settings);

// The last line of ssh's own that says something; empty when there is none.
std::string last_words(const SshTranscript& transcript);

}  // namespace gpumuster
