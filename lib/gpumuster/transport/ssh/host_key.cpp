#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

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

Failure unknown_key(const HopRef& hop, const Login& login, const std::string& key,
                    const TrustJudgement& judgement) {
    std::string message = key + " is not in known_hosts";
    if (!judgement.known_types.empty()) {
        message += fmt::format(", which knows it by {}", fmt::join(judgement.known_types, ", "));
    }
    Failure failure = make_failure(FailureKind::hostkey_unknown, hop, message);
    failure.next_step =
        "compare the fingerprint with the host's own, then: " + ssh_by_hand(hop, login);
    return failure;
}

Failure changed_key(const HopRef& hop, const Login& login, const std::string& key,
                    const TrustJudgement& judgement) {
    Failure failure = make_failure(
        FailureKind::hostkey_changed, hop,
        fmt::format("{} is not the one in {} line {}", key, judgement.file, judgement.line));
    failure.next_step =
        fmt::format("if the host was reinstalled: ssh-keygen -R '{}' -f {} && {}",
                    known_hosts_name(login), judgement.file, ssh_by_hand(hop, login));
    return failure;
}

}  // namespace

HostKeyCheck check_host_key(SshSession& session, const HopRef& hop, const Login& login,
                            KnownHosts& known_hosts) {
    HostKeyCheck check;
    const std::optional<KeyBlob> key = server_key(session.get());
    if (!key) {
        check.failure = make_failure(FailureKind::handshake_failed, hop,
                                     "the host's key cannot be read: " + session.error_text());
        return check;
    }
    const HostKeyName name{login.address, login.port};
    const TrustJudgement judgement = known_hosts.judge(name, *key);
    const std::string who = known_hosts_name(login);
    const std::string described =
        fmt::format("the key of {} ({} {})", who, key_type_of(*key), fingerprint(*key));
    switch (judgement.trust) {
        case Trust::trusted:
            check.was_known = true;
            break;
        case Trust::unknown:
            check.failure = unknown_key(hop, login, described, judgement);
            break;
        case Trust::changed:
            check.failure = changed_key(hop, login, described, judgement);
            break;
        case Trust::revoked:
            check.failure = make_failure(FailureKind::hostkey_revoked, hop,
                                         fmt::format("{} is marked @revoked in {} line {}",
                                                     described, judgement.file, judgement.line));
            break;
        case Trust::certificate_authority:
            check.failure = make_failure(
                FailureKind::hostkey_certificate_only, hop,
                fmt::format("known_hosts trusts {} by a certificate authority only", who));
            break;
    }
    return check;
}

std::string host_key_algorithms(const std::vector<std::string>& known_types,
                                const std::string& /*allowed*/) {
    static constexpr std::array<std::string_view, 6> all{
        "ssh-ed25519",         "ecdsa-sha2-nistp256", "ecdsa-sha2-nistp384",
        "ecdsa-sha2-nistp521", "rsa-sha2-512",        "rsa-sha2-256"};
    const auto is_known = [&](std::string_view algorithm) {
        // An RSA key signs by either hash; its type in known_hosts is the old name.
        const std::string_view type = algorithm.starts_with("rsa-") ? "ssh-rsa" : algorithm;
        return std::find(known_types.begin(), known_types.end(), type) != known_types.end();
    };
    std::vector<std::string_view> ordered(all.begin(), all.end());
    std::stable_partition(ordered.begin(), ordered.end(), is_known);
    return fmt::format("{}", fmt::join(ordered, ","));
}

}  // namespace gpumuster
