#include "gpumuster/transport/ssh/password.hpp"

#include <fmt/format.h>

#include "gpumuster/base/safe_text.hpp"

namespace gpumuster {
namespace {

constexpr int most_rounds = 8;
constexpr std::size_t longest_prompt = 80;

// What the host asks in one round of keyboard-interactive.
struct Question {
    int prompts = 0;
    bool is_echoed = false;
    std::string text;  // of the first prompt, made safe
};

Question question_of(const SshSession& session) {
    Question question;
    question.prompts = ::ssh_userauth_kbdint_getnprompts(session.get());
    if (question.prompts <= 0) return question;
    char echo = 0;
    const char* text = ::ssh_userauth_kbdint_getprompt(session.get(), 0, &echo);
    question.is_echoed = echo != 0;
    question.text = quote_line(text != nullptr ? text : "", longest_prompt);
    return question;
}

class Interaction {
public:
    Interaction(SshSession& session, const LoginAttempt& attempt, const Secret& password)
        : session_(session), attempt_(attempt), password_(password), watch_(session, attempt.hop) {}

    asio::awaitable<AuthStep> hold() {
        const std::string& user = attempt_.login.user;
        auto round = [&] { return ::ssh_userauth_kbdint(session_.get(), user.c_str(), nullptr); };
        for (int i = 0; i < most_rounds; ++i) {
            const StepEnd end = co_await drive(session_, round, SSH_AUTH_AGAIN, attempt_.deadline);
            if (end.wake != Wake::ready || end.code != SSH_AUTH_INFO) co_return watch_.judge(end);
            if (auto refusal = answer(question_of(session_))) co_return std::move(*refusal);
        }
        co_return end_with(FailureKind::auth_failed, "the host asks for ever");
    }

private:
    std::optional<AuthStep> answer(const Question& question) {
        if (question.prompts == 0) return std::nullopt;
        if (has_answered_ && question.text == answered_) {
            AuthStep step;
            step.outcome = AuthOutcome::refused;
            return step;
        }
        if (has_answered_ || question.prompts != 1 || question.is_echoed) {
            const std::string more =
                question.prompts > 1 ? fmt::format(" and {} more", question.prompts - 1) : "";
            return end_with(FailureKind::auth_partial,
                            fmt::format("the host asks for what cannot be given here: \"{}\"{}",
                                        question.text, more));
        }
        has_answered_ = true;
        answered_ = question.text;
        ::ssh_userauth_kbdint_setanswer(session_.get(), 0, password_.c_str());
        return std::nullopt;
    }

    AuthStep end_with(FailureKind kind, std::string message) const {
        AuthStep step;
        step.failure = make_failure(kind, attempt_.hop, std::move(message));
        return step;
    }

    SshSession& session_;
    const LoginAttempt& attempt_;
    const Secret& password_;
    AuthWatch watch_;
    bool has_answered_ = false;
    std::string answered_;
};

asio::awaitable<AuthStep> send_plainly(SshSession& session, const LoginAttempt& attempt,
                                       const Secret& password) {
    const std::string& user = attempt.login.user;
    auto send = [&] {
        return ::ssh_userauth_password(session.get(), user.c_str(), password.c_str());
    };
    const AuthWatch watch(session, attempt.hop);
    const StepEnd end = co_await drive(session, send, SSH_AUTH_AGAIN, attempt.deadline);
    AuthStep step = watch.judge(end);
    // libssh knows no answer to a request for a new password, and calls it an error.
    const bool is_error = end.wake == Wake::ready && end.code == SSH_AUTH_ERROR;
    if (is_error && watch.has_sent() && ::ssh_is_connected(session.get()) != 0) {
        step.failure = make_failure(FailureKind::auth_login_refused, attempt.hop,
                                    "the host wants a new password before it lets this user in");
    }
    co_return step;
}

}  // namespace

asio::awaitable<AuthStep> send_password(SshSession& session, const LoginAttempt& attempt,
                                        const Secret& password) {
    if (methods_of(session).password) co_return co_await send_plainly(session, attempt, password);
    Interaction interaction(session, attempt, password);
    co_return co_await interaction.hold();
}

}  // namespace gpumuster
