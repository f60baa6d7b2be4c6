#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "gpumuster/transport/ssh/login.hpp"

namespace gpumuster {

// What one credential came to.
enum class AuthOutcome {
    accepted,
    partial,   // accepted, and the host wants another one as well
    refused,   // by the host
    not_sent,  // it cannot be used with this host; the text says why
    over,      // the login is at its end: the failure says how
};

struct AuthStep {
    AuthOutcome outcome = AuthOutcome::over;
    std::string text;  // for `not_sent`; made safe
    std::optional<Failure> failure;
};

// Watches one credential being sent, from its construction on, and judges libssh's answer.
class AuthWatch {
public:
    AuthWatch(SshSession& session, const HopRef& hop);
    ~AuthWatch();
    AuthWatch(const AuthWatch&) = delete;
    AuthWatch& operator=(const AuthWatch&) = delete;

    AuthStep judge(const StepEnd& end) const;

    // Whether anything went to the host.
    bool has_sent() const { return sent_.out_packets > 0; }

private:
    Failure closed_failure() const;

    SshSession& session_;
    const HopRef& hop_;
    const std::string banner_before_;
    ssh_counter_struct sent_{};
};

// The methods that the host's last refusal named.
struct AuthMethods {
    bool are_known = false;
    bool public_key = false;
    bool password = false;
    bool keyboard_interactive = false;
};
AuthMethods methods_of(const SshSession& session);

// The same for messages: "publickey, password"; "nothing".
std::string method_names(const SshSession& session);

// The first line of a text from the host that says something, made safe; empty when none does.
std::string telling_line(std::string_view text);

}  // namespace gpumuster
