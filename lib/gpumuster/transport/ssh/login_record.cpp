#include "gpumuster/transport/ssh/login_record.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace gpumuster {
namespace {

constexpr std::size_t most_named = 6;
constexpr const char* withheld =
    "; the password is sent only to a target whose host key was known before";

std::string joined(std::vector<std::string> parts, std::string_view between) {
    if (parts.size() > most_named) {
        const std::string more = fmt::format("{} more", parts.size() - most_named);
        parts.resize(most_named);
        parts.push_back(more);
    }
    return fmt::format("{}", fmt::join(parts, between));
}

bool has_password(const LoginAttempt& attempt) {
    return attempt.credentials.password() != nullptr;
}

Failure denied(const LoginRecord& record, const SshSession& session, const LoginAttempt& attempt) {
    std::string message =
        fmt::format("user {} was refused with {}; the host accepts {}", attempt.login.user,
                    joined(record.refused, ", "), method_names(session));
    if (!record.agent_failure.empty()) message += "; " + record.agent_failure;
    const AuthMethods methods = methods_of(session);
    const bool wants_password = methods.password || methods.keyboard_interactive;
    if (wants_password && has_password(attempt) && !attempt.may_send_password) message += withheld;
    Failure failure = make_failure(FailureKind::auth_denied, attempt.hop, std::move(message));
    if (wants_password && !has_password(attempt)) {
        failure.next_step += ", or give a password: --ask-pass";
    }
    return failure;
}

Failure no_credential(const LoginRecord& record, const SshSession& session,
                      const LoginAttempt& attempt) {
    std::string message = joined(record.troubles, "; ");
    if (message.empty()) message = "there is no private key to offer";
    if (has_password(attempt)) {
        message += attempt.may_send_password
                       ? "; the host takes no password but " + method_names(session)
                       : withheld;
    }
    return make_failure(FailureKind::auth_no_key, attempt.hop, std::move(message));
}

}  // namespace

void note_refusal(LoginRecord& record, const std::string& label) {
    std::vector<std::string>& refused = record.refused;
    if (std::find(refused.begin(), refused.end(), label) == refused.end()) refused.push_back(label);
}

Failure nothing_left(const LoginRecord& record, const SshSession& session,
                     const LoginAttempt& attempt) {
    const std::string& user = attempt.login.user;
    if (!record.accepted.empty()) {
        return make_failure(FailureKind::auth_partial, attempt.hop,
                            fmt::format("{} was accepted, but the host wants {} as well",
                                        record.accepted, method_names(session)));
    }
    if (!record.refused.empty()) return denied(record, session, attempt);
    if (!record.agent_failure.empty()) {
        return make_failure(FailureKind::auth_agent_failed, attempt.hop, record.agent_failure);
    }
    // The text names no host: reports fold hosts that say the same.
    if (record.keys_not_tried > 0) {
        return make_failure(FailureKind::auth_not_tried, attempt.hop,
                            fmt::format("every key of user {} that could be offered was refused by "
                                        "20 hosts and accepted by none in this run",
                                        user));
    }
    if (record.is_password_not_tried) {
        return make_failure(FailureKind::auth_not_tried, attempt.hop,
                            fmt::format("the password of user {} was refused by 20 hosts and "
                                        "accepted by none in this run",
                                        user));
    }
    return no_credential(record, session, attempt);
}

Failure broken_off(const LoginRecord& record, const LoginAttempt& attempt, Failure failure) {
    if (failure.kind != FailureKind::auth_failed || record.refused.empty()) return failure;
    return make_failure(FailureKind::auth_denied, attempt.hop,
                        fmt::format("user {} was refused with {}; then {}", attempt.login.user,
                                    joined(record.refused, ", "), failure.message));
}

}  // namespace gpumuster
