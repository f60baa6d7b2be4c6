#include <fmt/format.h>
#include <fmt/ranges.h>

#include "gpumuster/transport/ssh/login.hpp"

namespace gpumuster {
namespace {

std::string accepted_methods(ssh_session session) {
    const auto methods = static_cast<unsigned>(::ssh_userauth_list(session, nullptr));
    std::vector<std::string_view> names;
    if ((methods & SSH_AUTH_METHOD_PUBLICKEY) != 0) names.push_back("publickey");
    if ((methods & SSH_AUTH_METHOD_PASSWORD) != 0) names.push_back("password");
    if ((methods & SSH_AUTH_METHOD_INTERACTIVE) != 0) names.push_back("keyboard-interactive");
    if ((methods & SSH_AUTH_METHOD_HOSTBASED) != 0) names.push_back("hostbased");
    if ((methods & SSH_AUTH_METHOD_GSSAPI_MIC) != 0) names.push_back("gssapi");
    return names.empty() ? "nothing" : fmt::format("{}", fmt::join(names, ", "));
}

Failure no_usable_key(const HopRef& hop, const std::vector<const PrivateKey*>& keys) {
    std::vector<std::string> troubles;
    for (const PrivateKey* key : keys) {
        if (key->state != PrivateKey::State::missing) troubles.push_back(key->trouble());
    }
    if (troubles.empty()) {
        return make_failure(FailureKind::auth_no_key, hop, "there is no private key to offer");
    }
    return make_failure(FailureKind::auth_no_key, hop,
                        fmt::format("{}", fmt::join(troubles, "; ")));
}

// A wait that ended early, or a session that broke.
std::optional<Failure> trouble(const SshSession& session, const StepEnd& end, const HopRef& hop) {
    if (end.wake == Wake::cancelled) {
        return make_failure(FailureKind::run_interrupted, hop, "interrupted");
    }
    if (end.wake == Wake::deadline) {
        return make_failure(FailureKind::auth_timeout, hop,
                            "the host does not finish the login in time");
    }
    if (::ssh_is_connected(session.get()) == 0) {
        return make_failure(
            FailureKind::auth_failed, hop,
            "the host closed the connection during the login: " + session.error_text());
    }
    return std::nullopt;
}

}  // namespace

asio::awaitable<std::optional<Failure>> log_in(SshSession& session, const LoginAttempt& attempt) {
    const HopRef& hop = attempt.hop;
    const std::string& user = attempt.login.user;
    const Deadline deadline = attempt.deadline;
    const std::vector<const PrivateKey*> keys = attempt.credentials.keys_of(attempt.login);
    // Asked for first and apart: a signed request of an RSA key that goes out before the server's
    // list of signature algorithms has come is refused by libssh itself, as plain "ssh-rsa".
    auto service = [&] { return ::ssh_service_request(session.get(), "ssh-userauth"); };
    const StepEnd served = co_await drive(session, service, SSH_AGAIN, deadline);
    if (auto failure = trouble(session, served, hop)) co_return failure;
    if (served.code != SSH_OK) {
        co_return make_failure(FailureKind::auth_failed, hop, session.error_text());
    }

    std::vector<std::string> refused;
    for (const PrivateKey* key : keys) {
        if (key->state != PrivateKey::State::loaded) continue;
        auto sign_in = [&] {
            return ::ssh_userauth_publickey(session.get(), user.c_str(), key->key.get());
        };
        const StepEnd end = co_await drive(session, sign_in, SSH_AUTH_AGAIN, deadline);
        if (end.wake == Wake::ready && end.code == SSH_AUTH_SUCCESS) co_return std::nullopt;
        if (auto failure = trouble(session, end, hop)) co_return failure;
        if (end.code == SSH_AUTH_PARTIAL) {
            co_return make_failure(FailureKind::auth_partial, hop,
                                   fmt::format("{} was accepted, but the host wants {} as well",
                                               key->path, accepted_methods(session.get())));
        }
        if (end.code != SSH_AUTH_DENIED) {
            co_return make_failure(FailureKind::auth_failed, hop, session.error_text());
        }
        refused.push_back(key->path);
    }
    if (refused.empty()) co_return no_usable_key(hop, keys);
    co_return make_failure(FailureKind::auth_denied, hop,
                           fmt::format("user {} was refused with {}; the host accepts {}", user,
                                       fmt::join(refused, ", "), accepted_methods(session.get())));
}

}  // namespace gpumuster
