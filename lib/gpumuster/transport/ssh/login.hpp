#pragma once

#include <optional>
#include <string>
#include <vector>

#include <asio/awaitable.hpp>

#include "gpumuster/base/result.hpp"
#include "gpumuster/transport/effective_settings.hpp"
#include "gpumuster/transport/ssh/key_ring.hpp"
#include "gpumuster/transport/ssh/session.hpp"
#include "gpumuster/transport/trust/known_hosts.hpp"

namespace gpumuster {

// The three stages between a connected socket and a session that may run commands. Each answers
// nothing when it succeeded.

// Identification and key exchange. What the port says first is looked at before libssh takes it,
// because there sshd says why it drops a connection.
asio::awaitable<std::optional<Failure>> shake_hands(SshSession& session, const HopRef& hop,
                                                    Deadline deadline);

// The host's key against known_hosts. Takes no time.
std::optional<Failure> check_host_key(SshSession& session, const HopRef& hop,
                                      const EffectiveSettings& settings,
                                      const KnownHosts& known_hosts);

// Offers each usable key once, directly signed; a refusal is never retried.
asio::awaitable<std::optional<Failure>> log_in(SshSession& session, const HopRef& hop,
                                               const std::string& user,
                                               const std::vector<const PrivateKey*>& keys,
                                               Deadline deadline);

// The order in which host key algorithms are asked for: those of keys known for the host first.
std::string host_key_algorithms(const std::vector<std::string>& known_types);

}  // namespace gpumuster
