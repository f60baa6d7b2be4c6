#pragma once

#include "gpumuster/transport/ssh/auth_step.hpp"
#include "gpumuster/transport/ssh/secret.hpp"

namespace gpumuster {

// Sends the password once, by the method "password" where the host takes that, else by
// "keyboard-interactive": rounds without a question are answered, the first question alone and not
// to be echoed is taken to be the one for the password, and any other ends the login. The session
// knows which methods the host takes.
asio::awaitable<AuthStep> send_password(SshSession& session, const LoginAttempt& attempt,
                                        const Secret& password);

}  // namespace gpumuster
