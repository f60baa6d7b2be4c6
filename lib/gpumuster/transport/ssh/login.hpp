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
#include "gpumuster/transport/ssh/algorithms.hpp"
#include "gpumuster/transport/ssh/credentials.hpp"
#include "gpumuster/transport/ssh/host_key_store.hpp"
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

// What the login's host key is looked up under: its alias, else its address and port.
HostKeyName host_key_name(const Login& login);

// The host's key against known_hosts, under the login's rule for new keys. A changed or revoked
// key, and one of another type than those that are known, is refused whatever the rule.
HostKeyCheck check_host_key(SshSession& session, const HopRef& hop, const Login& login,
                            KnownHosts& known_hosts);
asio::awaitable<HostKeyCheck> check_host_key(SshSession& session, const HopRef& hop,
                                             const Login& login, HostKeyStore& keys,
                                             std::stop_token cancel);

// The same for a key that is already at hand.
asio::awaitable<HostKeyCheck> judge_host_key(const KeyBlob& key, const HopRef& hop,
                                             const Login& login, HostKeyStore& keys,
                                             std::stop_token cancel);

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

// Offers each key once, in ssh's order, while the host takes keys; then the password, once, if the
// user gave one, the host wants one and it may be sent. What the host refused is never tried again,
// except a key that was offered before the host took keys at all. A login that the host ends after
// it has taken a credential blames none. With an agent, the session is used by a thread of the
// agent's for a while, and by none any more when this has returned.
asio::awaitable<std::optional<Failure>> log_in(SshSession& session, const LoginAttempt& attempt);

}  // namespace gpumuster
