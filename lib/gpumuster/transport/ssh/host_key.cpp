#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "gpumuster/base/safe_text.hpp"
#include "gpumuster/transport/ssh/login.hpp"
#include "gpumuster/transport/trust/base64.hpp"

namespace gpumuster {
namespace {

std::optional<KeyBlob> server_key(ssh_session session) {
    ssh_key key = nullptr;
    if (::ssh_get_server_publickey(session, &key) != SSH_OK) return std::nullopt;
    char* text = nullptr;
    const int code = ::ssh_pki_export_pubkey_base64(key, &text);
    ::ssh_key_free(key);
    if (code != SSH_OK) return std::nullopt;
    std::optional<KeyBlob> blob = decode_base64(text);
    ::ssh_string_free_char(text);
    return blob;
}

// The command that asks the user about the key and remembers the answer where we look for it.
std::string ssh_by_hand(const HopRef& hop, const Login& login) {
    if (!login.known_hosts_are_explicit) return "ssh " + hop.ssh_arguments;
    return fmt::format("ssh -o UserKnownHostsFile={} {}", login.known_hosts_files.front(),
                       hop.ssh_arguments);
}

// A key that a host showed, and where.
struct Shown {
    const KeyBlob& key;
    const HopRef& hop;
    const Login& login;

    // "the key of gpu1 (ssh-ed25519 SHA256:…)"
    std::string text() const {
        return fmt::format("the key of {} ({} {})", known_hosts_name(login), key_type_of(key),
                           fingerprint(key));
    }
};

Failure failure_of(FailureKind kind, const Shown& shown, const std::string& message) {
    return make_failure(kind, shown.hop, make_safe(message));
}

Failure unknown_key(const Shown& shown, const TrustJudgement& judgement) {
    std::string message = shown.text() + " is not in known_hosts";
    if (!judgement.known_types.empty()) {
        message += fmt::format(", which knows it by {}", fmt::join(judgement.known_types, ", "));
    }
    Failure failure = failure_of(FailureKind::hostkey_unknown, shown, message);
    failure.next_step =
        "compare the fingerprint with the host's own, then: " + ssh_by_hand(shown.hop, shown.login);
    return failure;
}

Failure changed_key(const Shown& shown, const TrustJudgement& judgement) {
    if (judgement.is_by_this_run) {
        Failure failure =
            failure_of(FailureKind::hostkey_changed, shown,
                       shown.text() + " is not the one that was accepted earlier in this run");
        failure.next_step =
            "see which machines answer to this name: " + ssh_by_hand(shown.hop, shown.login);
        return failure;
    }
    Failure failure = failure_of(FailureKind::hostkey_changed, shown,
                                 fmt::format("{} is not the one in {} line {}", shown.text(),
                                             judgement.file, judgement.line));
    failure.next_step = fmt::format("if the host was reinstalled: ssh-keygen -R '{}' -f {} && {}",
                                    known_hosts_name(shown.login), judgement.file,
                                    ssh_by_hand(shown.hop, shown.login));
    return failure;
}

// Empty: the key is trusted.
std::optional<Failure> refusal(const Shown& shown, const TrustJudgement& judgement) {
    switch (judgement.trust) {
        case Trust::trusted:
            return std::nullopt;
        case Trust::unknown:
            return unknown_key(shown, judgement);
        case Trust::changed:
            return changed_key(shown, judgement);
        case Trust::revoked:
            return failure_of(FailureKind::hostkey_revoked, shown,
                              fmt::format("{} is marked @revoked in {} line {}", shown.text(),
                                          judgement.file, judgement.line));
        case Trust::certificate_authority:
            return failure_of(FailureKind::hostkey_certificate_only, shown,
                              fmt::format("known_hosts trusts {} by a certificate authority only",
                                          known_hosts_name(shown.login)));
    }
    return unknown_key(shown, judgement);
}

HostKeyCheck verdict(const Shown& shown, const TrustJudgement& judgement) {
    HostKeyCheck check;
    check.failure = refusal(shown, judgement);
    check.was_known = !check.failure && !judgement.is_by_this_run;
    return check;
}

// What the user should know of a key that was accepted just now.
Remark remark_on(const Shown& shown, const Acceptance& acceptance) {
    const std::string& file = shown.login.new_keys_file;
    std::string fate = "no known_hosts file to write it to";
    if (acceptance.is_written) {
        fate = "now in " + file;
    } else if (!file.empty()) {
        fate = fmt::format("not written to {}: {}", file, acceptance.trouble);
    }
    Remark remark;
    remark.hop = shown.hop;
    if (shown.login.host_key_rule == HostKeyRule::accept_unverified) {
        remark.kind = RemarkKind::host_key_unverified;
        remark.message = fmt::format(
            "ssh_config sets StrictHostKeyChecking no: {} is not verified by anything ({})",
            shown.text(), fate);
    } else if (acceptance.is_written) {
        remark.kind = RemarkKind::host_key_added;
        remark.message = fmt::format("{} was new and is {}", shown.text(), fate);
    } else {
        remark.kind = RemarkKind::host_key_not_saved;
        remark.message =
            fmt::format("{} was new and is accepted for this run only: {}", shown.text(), fate);
    }
    remark.message = make_safe(remark.message);
    return remark;
}

NewHostKey new_host_key(const Shown& shown) {
    NewHostKey fresh;
    fresh.host = host_key_name(shown.login);
    fresh.key = shown.key;
    fresh.file = shown.login.new_keys_file;
    fresh.form = shown.login.hash_new_keys ? NameForm::hashed : NameForm::plain;
    return fresh;
}

HostKeyCheck unreadable_key(SshSession& session, const HopRef& hop) {
    HostKeyCheck check;
    check.failure = make_failure(FailureKind::handshake_failed, hop,
                                 "the host's key cannot be read: " + session.error_text());
    return check;
}

}  // namespace

HostKeyName host_key_name(const Login& login) {
    if (!login.host_key_alias.empty()) return {login.host_key_alias, 22};
    return {login.address, login.port};
}

asio::awaitable<HostKeyCheck> check_host_key(SshSession& session, const HopRef& hop,
                                             const Login& login, HostKeyStore& keys,
                                             std::stop_token cancel) {
    const std::optional<KeyBlob> key = server_key(session.get());
    if (!key) co_return unreadable_key(session, hop);
    co_return co_await judge_host_key(*key, hop, login, keys, std::move(cancel));
}

asio::awaitable<HostKeyCheck> judge_host_key(const KeyBlob& key, const HopRef& hop,
                                             const Login& login, HostKeyStore& keys,
                                             std::stop_token cancel) {
    const Shown shown{key, hop, login};
    const TrustJudgement judgement = keys.judge(host_key_name(login), key);
    const bool may_accept =
        login.host_key_rule != HostKeyRule::known_only && is_of_new_host(judgement);
    if (!may_accept) co_return verdict(shown, judgement);

    NewHostKey fresh = new_host_key(shown);
    const std::optional<Acceptance> acceptance =
        co_await keys.accept(std::move(fresh), std::move(cancel));
    HostKeyCheck check;
    if (!acceptance) {
        check.failure = make_failure(FailureKind::run_interrupted, hop, "interrupted");
        co_return check;
    }
    check.failure = refusal(shown, acceptance->judgement);
    if (acceptance->is_first) check.remark = remark_on(shown, *acceptance);
    co_return check;
}

}  // namespace gpumuster
