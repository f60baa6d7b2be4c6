#include "gpumuster/transport/ssh/auth_step.hpp"

#include <algorithm>
#include <cctype>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "gpumuster/base/safe_text.hpp"

namespace gpumuster {
namespace {

std::string banner_of(ssh_session session) {
    char* text = ::ssh_get_issue_banner(session);
    if (text == nullptr) return {};
    std::string banner(text);
    ::ssh_string_free_char(text);
    return banner;
}

bool says_something(std::string_view line) {
    return std::any_of(line.begin(), line.end(),
                       [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; });
}

// libssh keeps the message of a peer that disconnects only inside of its own error text.
bool has_said_goodbye(const SshSession& session) {
    return session.error_text().starts_with("Received SSH_MSG_DISCONNECT");
}

}  // namespace

AuthWatch::AuthWatch(SshSession& session, const HopRef& hop)
    : session_(session), hop_(hop), banner_before_(banner_of(session.get())) {
    ::ssh_set_counters(session_.get(), nullptr, &sent_);
}

AuthWatch::~AuthWatch() {
    ::ssh_set_counters(session_.get(), nullptr, nullptr);
}

AuthStep AuthWatch::judge(const StepEnd& end) const {
    AuthStep step;
    if (end.wake == Wake::cancelled) {
        step.failure = make_failure(FailureKind::run_interrupted, hop_, "interrupted");
        return step;
    }
    if (end.wake == Wake::deadline) {
        step.failure = make_failure(FailureKind::auth_timeout, hop_,
                                    "the host does not finish the login in time");
        return step;
    }
    switch (end.code) {
        case SSH_AUTH_SUCCESS:
            step.outcome = AuthOutcome::accepted;
            return step;
        case SSH_AUTH_PARTIAL:
            step.outcome = AuthOutcome::partial;
            return step;
        case SSH_AUTH_DENIED:
            // libssh itself also answers this, when the host does not take the kind of key.
            step.outcome = has_sent() ? AuthOutcome::refused : AuthOutcome::not_sent;
            step.text = session_.error_text();
            return step;
        default:
            break;
    }
    if (::ssh_is_connected(session_.get()) == 0) {
        step.failure = closed_failure();
    } else {
        step.failure = make_failure(FailureKind::auth_failed, hop_, session_.error_text());
    }
    return step;
}

// An sshd that takes the credential and then keeps the user out (pam_slurm_adopt, nologin) says why
// as a banner and closes the connection.
Failure AuthWatch::closed_failure() const {
    const std::string banner = banner_of(session_.get());
    const std::string line = telling_line(banner);
    const bool explains = has_sent() && banner != banner_before_ && !line.empty();
    if (explains && !has_said_goodbye(session_)) {
        return make_failure(FailureKind::auth_login_refused, hop_,
                            "the host ended the login with: " + line);
    }
    return make_failure(
        FailureKind::auth_failed, hop_,
        "the host closed the connection during the login: " + session_.error_text());
}

AuthMethods methods_of(const SshSession& session) {
    const auto bits = static_cast<unsigned>(::ssh_userauth_list(session.get(), nullptr));
    AuthMethods methods;
    methods.are_known = bits != 0;
    methods.public_key = (bits & SSH_AUTH_METHOD_PUBLICKEY) != 0;
    methods.password = (bits & SSH_AUTH_METHOD_PASSWORD) != 0;
    methods.keyboard_interactive = (bits & SSH_AUTH_METHOD_INTERACTIVE) != 0;
    return methods;
}

std::string method_names(const SshSession& session) {
    const auto methods = static_cast<unsigned>(::ssh_userauth_list(session.get(), nullptr));
    std::vector<std::string_view> names;
    if ((methods & SSH_AUTH_METHOD_PUBLICKEY) != 0) names.push_back("publickey");
    if ((methods & SSH_AUTH_METHOD_PASSWORD) != 0) names.push_back("password");
    if ((methods & SSH_AUTH_METHOD_INTERACTIVE) != 0) names.push_back("keyboard-interactive");
    if ((methods & SSH_AUTH_METHOD_HOSTBASED) != 0) names.push_back("hostbased");
    if ((methods & SSH_AUTH_METHOD_GSSAPI_MIC) != 0) names.push_back("gssapi");
    return names.empty() ? "nothing" : fmt::format("{}", fmt::join(names, ", "));
}

std::string telling_line(std::string_view text) {
    while (!text.empty()) {
        const std::string_view line = text.substr(0, text.find_first_of("\r\n"));
        if (says_something(line)) return quote_line(line);
        text.remove_prefix(std::min(text.size(), line.size() + 1));
    }
    return {};
}

}  // namespace gpumuster
