#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include <asio/awaitable.hpp>

#include "gpumuster/base/remark.hpp"
#include "gpumuster/base/result.hpp"
#include "gpumuster/transport/effective_settings.hpp"
#include "gpumuster/transport/login_ledger.hpp"
#include "gpumuster/transport/ssh/credentials.hpp"
#include "gpumuster/transport/ssh/session.hpp"
#include "gpumuster/transport/trust/known_hosts.hpp"

namespace gpumuster {

// The three stages between a connected socket and a session that may run commands. Each answers
// nothing when it succeeded.

// Identification and key exchange. What the port says first is looked at before libssh takes it,
// because there sshd says why it drops a connection.
asio::awaitable<std::optional<Failure>> shake_hands(SshSession& session, const HopRef& hop,
                                                    Deadline deadline);

// What the host's key came to.
struct HostKeyCheck {
    std::optional<Failure> failure;
    std::optional<Remark> remark;
    bool was_known = false;  // before this run: only then is a password sent
};

// The host's key against known_hosts, under the login's rule for new keys.
HostKeyCheck check_host_key(SshSession& session, const HopRef& hop, const Login& login,
                            KnownHosts& known_hosts);

// One login. Everything referred to outlives it.
struct LoginAttempt {
    const HopRef& hop;
    const Login& login;
    const Credentials& credentials;
    LoginLedger& ledger;
    bool may_send_password = false;
    Deadline deadline;
    std::stop_token cancel;
};

// Offers each usable key once; a refusal is never retried.
asio::awaitable<std::optional<Failure>> log_in(SshSession& session, const LoginAttempt& attempt);

// The order in which host key algorithms are asked for: those of keys known for the host first.
// `allowed` is ssh_config's list; empty: all that libssh can.
std::string host_key_algorithms(const std::vector<std::string>& known_types,
                                const std::string& allowed = {});

}  // namespace gpumuster
