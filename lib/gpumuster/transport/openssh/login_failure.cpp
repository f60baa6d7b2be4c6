#include "gpumuster/transport/openssh/login_failure.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "gpumuster/base/safe_text.hpp"
#include "gpumuster/transport/openssh/ssh_place.hpp"

namespace gpumuster {
namespace {

using Lines = std::vector<SshLine>;

constexpr std::string_view denial = "Permission denied (";

bool says(const std::string& line, std::string_view part) {
    return line.find(part) != std::string::npos;
}

// What ssh says of our own side of the login before the host's refusal.
struct LoginTalk {
    std::string partial;  // "Authenticated using "publickey" with partial success."
    std::string trouble;  // the first of what kept a key from being used
    bool is_of_agent = false;
    bool was_offered = false;  // a key; known only where there are debug lines
    bool has_other_method = false;
};

void note_trouble(LoginTalk& talk, const std::string& text) {
    const bool is_trouble = says(text, "signing failed") || says(text, "Load key ") ||
                            says(text, "is not a PKCS11 library") || says(text, "not accessible");
    if (is_trouble && talk.trouble.empty()) talk.trouble = text;
    if (says(text, "agent refused operation") || says(text, "communication with agent failed")) {
        talk.is_of_agent = true;
        talk.trouble = text;
    }
}

LoginTalk listen(const Lines& lines, std::size_t end) {
    LoginTalk talk;
    for (std::size_t index = 0; index < end; ++index) {
        const std::string& text = lines[index].text;
        if (lines[index].is_debug) {
            talk.was_offered = talk.was_offered || text.starts_with("Offering public key");
            talk.has_other_method =
                talk.has_other_method ||
                (text.starts_with("Next authentication method: ") && !text.ends_with("publickey"));
            continue;
        }
        if (says(text, "with partial success")) talk.partial = text;
        note_trouble(talk, text);
    }
    return talk;
}

bool is_of_own_ssh(const Lines& lines) {
    return std::any_of(lines.begin(), lines.end(),
                       [](const SshLine& line) { return line.at == SshProgress::trusted; });
}

// "publickey,password" of "root@gpu1: Permission denied (publickey,password)."
std::string methods_in(const std::string& text) {
    const std::size_t open = text.find(denial) + denial.size();
    return quote_line(text.substr(open, text.rfind(')') - open));
}

Failure denied(const LoginTalk& talk, const std::string& text, bool is_own, const HopRef& hop,
               const Login& login) {
    const std::string methods = methods_in(text);
    const std::string trouble = talk.trouble.empty() ? "" : ": " + quote_line(talk.trouble);
    if (!talk.partial.empty()) {
        return make_failure(FailureKind::auth_partial, hop,
                            fmt::format("a key of user {} was accepted, but the host wants {} as "
                                        "well",
                                        login.user, methods));
    }
    if (talk.is_of_agent) {
        return make_failure(FailureKind::auth_agent_failed, hop, quote_line(talk.trouble));
    }
    if (is_own && !talk.was_offered && !talk.has_other_method) {
        return make_failure(FailureKind::auth_no_key, hop,
                            "there is no private key to offer" + trouble);
    }
    return make_failure(
        FailureKind::auth_denied, hop,
        fmt::format("user {} was refused; the host accepts {}{}", login.user, methods, trouble));
}

// What the host says once it has accepted a key, before it closes: PAM gives its reason there.
std::string words_after_acceptance(const Lines& lines) {
    std::string words;
    bool is_accepted = false;
    for (const SshLine& line : lines) {
        if (line.is_debug) {
            is_accepted = is_accepted || line.text.starts_with("Server accepts key");
            continue;
        }
        if (is_accepted && !line.text.empty() && !is_closing_line(line.text)) {
            words += (words.empty() ? "" : " ") + line.text;
        }
    }
    return quote_line(words);
}

}  // namespace

std::optional<Failure> denied_login(const Lines& lines, std::size_t index,
                                    const EffectiveSettings& settings) {
    const std::string& text = lines[index].text;
    if (lines[index].is_debug) return std::nullopt;
    if (says(text, denial)) {
        const WayIndex place = place_of_line(lines, index, false, settings);
        return denied(listen(lines, index), text, is_of_own_ssh(lines), hop_at(settings, place),
                      login_at(settings, place));
    }
    if (says(text, "Too many authentication failures")) {
        const WayIndex place = place_of_line(lines, index, true, settings);
        return make_failure(FailureKind::auth_denied, hop_at(settings, place),
                            fmt::format("user {} was refused: too many keys were offered",
                                        login_at(settings, place).user));
    }
    return std::nullopt;
}

std::optional<Failure> login_failure(const Lines& lines, const EffectiveSettings& settings) {
    for (std::size_t index = lines.size(); index > 0; --index) {
        std::optional<Failure> failure = denied_login(lines, index - 1, settings);
        if (failure) return failure;
    }
    const auto end = std::find_if(lines.rbegin(), lines.rend(), [](const SshLine& line) {
        return !line.is_debug && is_closing_line(line.text);
    });
    if (end == lines.rend()) return std::nullopt;
    const std::string words = words_after_acceptance(lines);
    if (!words.empty()) {
        return make_failure(FailureKind::auth_login_refused, target_hop(settings),
                            fmt::format("the host says \"{}\"", words));
    }
    return make_failure(
        FailureKind::auth_failed, target_hop(settings),
        "the host closed the connection during the login: " + quote_line(end->text));
}

}  // namespace gpumuster
