#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "gpumuster/transport/ssh/agent_login.hpp"
#include "gpumuster/transport/ssh/auth_step.hpp"
#include "gpumuster/transport/ssh/identity_blob.hpp"
#include "gpumuster/transport/ssh/login.hpp"
#include "gpumuster/transport/ssh/login_record.hpp"
#include "gpumuster/transport/ssh/password.hpp"
#include "gpumuster/transport/trust/base64.hpp"

namespace gpumuster {
namespace {

constexpr const char* password_in_ledger = "password";

using OwnedKey = std::unique_ptr<ssh_key_struct, decltype(&::ssh_key_free)>;

OwnedKey public_key_of(const Identity& identity) {
    ssh_key key = nullptr;
    ::ssh_pki_import_pubkey_base64(encode_base64(identity.blob).c_str(),
                                   ::ssh_key_type_from_name(read_blob(identity.blob)->type.c_str()),
                                   &key);
    return OwnedKey(key, ::ssh_key_free);
}

std::string agent_text(const SshAgent& agent, AgentTrouble trouble) {
    switch (trouble) {
        case AgentTrouble::none:
            return {};
        case AgentTrouble::refused:
            return fmt::format("the agent at {} refuses to sign", agent.socket());
        case AgentTrouble::silent:
            return fmt::format("the agent at {} did not sign in time", agent.socket());
        case AgentTrouble::broken:
            return fmt::format("the agent at {} broke off when it was to sign", agent.socket());
    }
    return {};
}

// One login: keys while the host takes keys, then the password.
class LoginCourse {
public:
    LoginCourse(SshSession& session, const LoginAttempt& attempt)
        : session_(session),
          attempt_(attempt),
          user_(attempt.login.user),
          agent_(attempt.credentials.agent_of(attempt.login)),
          identities_(attempt.credentials.identities_of(attempt.login)),
          next_(identities_.offers.begin()) {
        record_.troubles = identities_.troubles;
        if (agent_ != nullptr && !agent_->is_absent()) record_.agent_failure = agent_->trouble();
    }

    asio::awaitable<std::optional<Failure>> run() {
        std::optional<Failure> failure = co_await ask_for_service();
        if (failure) co_return failure;
        while (true) {
            AuthStep step;
            if (may_offer_keys()) {
                step = co_await offer_keys();
            } else if (may_send_password()) {
                step = co_await offer_password();
            } else {
                break;
            }
            if (step.outcome == AuthOutcome::accepted) co_return std::nullopt;
            if (step.outcome == AuthOutcome::over) {
                co_return broken_off(record_, attempt_, std::move(*step.failure));
            }
        }
        co_return nothing_left(record_, session_, attempt_);
    }

private:
    // Asked for first and apart: a signed request of an RSA key that goes out before the server's
    // list of signature algorithms has come is refused by libssh itself, as plain "ssh-rsa".
    asio::awaitable<std::optional<Failure>> ask_for_service() {
        const AuthWatch watch(session_, attempt_.hop);
        auto service = [&] { return ::ssh_service_request(session_.get(), "ssh-userauth"); };
        StepEnd end = co_await drive(session_, service, SSH_AGAIN, attempt_.deadline);
        if (end.wake == Wake::ready && end.code == SSH_OK) co_return std::nullopt;
        end.code = SSH_AUTH_ERROR;
        co_return watch.judge(end).failure;
    }

    // A host that names its methods and leaves publickey out may want something else first.
    bool may_offer_keys() const {
        const AuthMethods methods = methods_of(session_);
        return next_ != identities_.offers.end() && (!methods.are_known || methods.public_key);
    }

    asio::awaitable<AuthStep> offer_keys() {
        while (may_offer_keys()) {
            const Identity& identity = *next_;
            if (!attempt_.ledger.may_offer(user_, identity.fingerprint)) {
                ++record_.keys_not_tried;
                ++next_;
                continue;
            }
            AuthStep step = co_await offer(identity);
            note(identity, step);
            const bool goes_on =
                step.outcome == AuthOutcome::refused || step.outcome == AuthOutcome::not_sent;
            if (!goes_on) co_return step;
        }
        AuthStep none;
        none.outcome = AuthOutcome::refused;
        co_return none;
    }

    void note(const Identity& identity, const AuthStep& step) {
        switch (step.outcome) {
            case AuthOutcome::accepted:
            case AuthOutcome::partial:
                attempt_.ledger.accepted(user_, identity.fingerprint);
                record_.accepted = identity.label;
                break;
            case AuthOutcome::refused:
                note_refusal(record_, identity.label);
                // A host that takes no keys at all says nothing about this one, which may still be
                // wanted after the password.
                if (!methods_of(session_).public_key) return;
                attempt_.ledger.refused(user_, identity.fingerprint);
                break;
            case AuthOutcome::not_sent:
                record_.troubles.push_back(
                    fmt::format("{} cannot be used: {}", identity.label, step.text));
                break;
            case AuthOutcome::over:
                break;
        }
        ++next_;
    }

    asio::awaitable<AuthStep> offer(const Identity& identity) {
        if (!identity.key) co_return co_await offer_of_agent(identity);
        const AuthWatch watch(session_, attempt_.hop);
        auto sign_in = [&] {
            return ::ssh_userauth_publickey(session_.get(), user_.c_str(), identity.key.get());
        };
        const StepEnd end = co_await drive(session_, sign_in, SSH_AUTH_AGAIN, attempt_.deadline);
        co_return watch.judge(end);
    }

    // Whether the host would take the key is asked first, as ssh does: signatures of an agent are
    // dear. With one key left, libssh's own question is enough.
    asio::awaitable<AuthStep> offer_of_agent(const Identity& identity) {
        if (agent_->is_given_up()) {
            AuthStep step;
            step.outcome = AuthOutcome::not_sent;
            step.text = fmt::format("the agent at {} does not answer", agent_->socket());
            record_.agent_failure = step.text;
            co_return step;
        }
        if (agent_keys_left() > 1) {
            AuthStep asked = co_await ask_about(identity);
            if (asked.outcome != AuthOutcome::accepted) co_return asked;
        }
        co_return co_await sign_by_agent(identity);
    }

    std::size_t agent_keys_left() const {
        const auto count = std::count_if(next_, identities_.offers.end(),
                                         [](const Identity& one) { return !one.key; });
        return static_cast<std::size_t>(count);
    }

    asio::awaitable<AuthStep> ask_about(const Identity& identity) {
        const AuthWatch watch(session_, attempt_.hop);
        const OwnedKey key = public_key_of(identity);
        auto ask = [&] {
            return ::ssh_userauth_try_publickey(session_.get(), user_.c_str(), key.get());
        };
        const StepEnd end = co_await drive(session_, ask, SSH_AUTH_AGAIN, attempt_.deadline);
        co_return watch.judge(end);
    }

    asio::awaitable<AuthStep> sign_by_agent(const Identity& identity) {
        const AuthWatch watch(session_, attempt_.hop);
        AgentLogin login{*agent_, identity, user_, attempt_.deadline, attempt_.cancel};
        const AgentLoginEnd signed_in = co_await log_in_by_agent(session_, std::move(login));
        AuthStep step = watch.judge(signed_in.end);
        const bool is_decided =
            step.outcome != AuthOutcome::over || signed_in.trouble == AgentTrouble::none;
        if (is_decided || step.failure->kind == FailureKind::run_interrupted) co_return step;

        record_.agent_failure = agent_text(*agent_, signed_in.trouble);
        const bool is_usable =
            signed_in.end.wake == Wake::ready && ::ssh_is_connected(session_.get()) != 0;
        if (is_usable) {
            step.outcome = AuthOutcome::not_sent;
            step.text = record_.agent_failure;
        } else if (signed_in.end.wake == Wake::deadline) {
            step.failure =
                make_failure(FailureKind::auth_agent_failed, attempt_.hop, record_.agent_failure);
        }
        co_return step;
    }

    // With no key offered yet, the host's methods are not known.
    bool may_send_password() const {
        const AuthMethods methods = methods_of(session_);
        const bool is_wanted =
            !methods.are_known || methods.password || methods.keyboard_interactive;
        return is_wanted && !has_sent_password_ && attempt_.credentials.password() != nullptr &&
               attempt_.may_send_password;
    }

    asio::awaitable<AuthStep> offer_password() {
        if (!methods_of(session_).are_known) co_return co_await ask_for_methods();
        has_sent_password_ = true;
        if (!attempt_.ledger.may_offer(user_, password_in_ledger)) {
            record_.is_password_not_tried = true;
            AuthStep step;
            step.outcome = AuthOutcome::not_sent;
            co_return step;
        }
        AuthStep step =
            co_await send_password(session_, attempt_, *attempt_.credentials.password());
        if (step.outcome == AuthOutcome::refused) {
            attempt_.ledger.refused(user_, password_in_ledger);
            note_refusal(record_, "the password");
        }
        if (step.outcome == AuthOutcome::accepted || step.outcome == AuthOutcome::partial) {
            attempt_.ledger.accepted(user_, password_in_ledger);
            record_.accepted = "the password";
        }
        co_return step;
    }

    asio::awaitable<AuthStep> ask_for_methods() {
        const AuthWatch watch(session_, attempt_.hop);
        auto ask = [&] { return ::ssh_userauth_none(session_.get(), user_.c_str()); };
        const StepEnd end = co_await drive(session_, ask, SSH_AUTH_AGAIN, attempt_.deadline);
        AuthStep step = watch.judge(end);
        const bool is_answered = step.outcome == AuthOutcome::refused;
        if (is_answered && !methods_of(session_).are_known) has_sent_password_ = true;
        co_return step;
    }

    SshSession& session_;
    const LoginAttempt& attempt_;
    const std::string& user_;
    SshAgent* const agent_;
    const Identities identities_;
    std::vector<Identity>::const_iterator next_;
    LoginRecord record_;
    bool has_sent_password_ = false;
};

}  // namespace

asio::awaitable<std::optional<Failure>> log_in(SshSession& session, const LoginAttempt& attempt) {
    LoginCourse course(session, attempt);
    co_return co_await course.run();
}

}  // namespace gpumuster
