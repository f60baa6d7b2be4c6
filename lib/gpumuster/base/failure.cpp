#include "gpumuster/base/failure.hpp"

#include <array>
#include <utility>

namespace gpumuster {
namespace {

constexpr std::array<std::string_view, stage_count> stage_names{
    "config",  "resolve",   "connect", "handshake",   "host-key", "auth",
    "channel", "container", "command", "not-started", "internal",
};

using K = FailureKind;

// In the order of the enum; the test holds each row against its kind.
constexpr std::array<FailureKindInfo, failure_kind_count> kinds{{
    {K::config_refused, Stage::config, "config.refused",
     "ssh itself says what is wrong with ssh_config: ssh -G {ssh}", Retry::never},
    {K::config_timeout, Stage::config, "config.timeout",
     "look at Match exec and CanonicalizeHostname in ssh_config: ssh -G {ssh}", Retry::never},
    {K::config_failed, Stage::config, "config.failed", "try the same by hand: ssh -G {ssh}",
     Retry::never},
    {K::config_unsupported, Stage::config, "config.unsupported",
     "allow the system ssh: transport: auto", Retry::never},
    {K::config_no_ssh, Stage::config, "config.no_ssh", "install the OpenSSH client on this machine",
     Retry::never},
    {K::resolve_not_found, Stage::resolve, "resolve.not_found",
     "check the spelling, or set address: in the inventory", Retry::never},
    {K::resolve_failed, Stage::resolve, "resolve.failed",
     "check this machine's name servers: getent hosts {address}", Retry::never},
    {K::resolve_timeout, Stage::resolve, "resolve.timeout",
     "the name servers did not answer: getent hosts {address}", Retry::never},
    {K::connect_refused, Stage::connect, "connect.refused",
     "no sshd listens there: check the port, or start sshd on the host", Retry::never},
    {K::connect_no_route, Stage::connect, "connect.no_route",
     "check the network or the VPN between here and the host", Retry::never},
    {K::connect_timeout, Stage::connect, "connect.timeout",
     "the host is down or a firewall drops the port: ping {address}", Retry::never},
    {K::connect_failed, Stage::connect, "connect.failed", "try the same by hand: ssh {ssh}",
     Retry::never},
    {K::handshake_not_ssh, Stage::handshake, "handshake.not_ssh",
     "another service answers on this port: check the port", Retry::never},
    {K::handshake_closed, Stage::handshake, "handshake.closed",
     "sshd drops new connections: look at its log and MaxStartups, then try again",
     Retry::before_credentials},
    {K::handshake_throttled, Stage::handshake, "handshake.throttled",
     "sshd has too many logins at once (MaxStartups): try again with a smaller --parallel",
     Retry::before_credentials},
    {K::handshake_penalised, Stage::handshake, "handshake.penalised",
     "sshd refuses this address for a while (PerSourcePenalties): wait, then fix the logins that "
     "fail",
     Retry::never},
    {K::handshake_timeout, Stage::handshake, "handshake.timeout",
     "the port answers but sshd does not: the host may be swapping or its disk dead", Retry::never},
    {K::handshake_no_common_algorithm, Stage::handshake, "handshake.no_common_algorithm",
     "the sshd is too old for today's algorithms: update it", Retry::never},
    {K::handshake_failed, Stage::handshake, "handshake.failed",
     "try the same by hand: ssh -v {ssh}", Retry::never},
    {K::hostkey_unknown, Stage::host_key, "hostkey.unknown",
     "compare the fingerprint with the host's own, then: ssh {ssh}", Retry::never},
    {K::hostkey_changed, Stage::host_key, "hostkey.changed",
     "if the host was reinstalled: ssh-keygen -R {address} && ssh {ssh}", Retry::never},
    {K::hostkey_revoked, Stage::host_key, "hostkey.revoked",
     "the key is marked @revoked: give the host a new key, do not connect", Retry::never},
    {K::hostkey_certificate_only, Stage::host_key, "hostkey.certificate_only",
     "only the system ssh checks the certificates of a @cert-authority: install it and allow it "
     "(transport: auto)",
     Retry::never},
    {K::auth_no_key, Stage::auth, "auth.no_key",
     "name a private key with --identity FILE, or load one into the agent: ssh-add", Retry::never},
    {K::auth_not_tried, Stage::auth, "auth.not_tried",
     "check the user and the key before more logins fail: ssh {ssh}", Retry::never},
    {K::auth_denied, Stage::auth, "auth.denied",
     "check the user and the key: ssh-copy-id {copy_id}", Retry::never},
    {K::auth_partial, Stage::auth, "auth.partial",
     "the host asks for a second factor, which cannot be given here", Retry::never},
    {K::auth_agent_failed, Stage::auth, "auth.agent_failed",
     "see whether the agent answers: ssh-add -l", Retry::never},
    {K::auth_login_refused, Stage::auth, "auth.login_refused",
     "the host says why: a job allocation, /etc/nologin or PAM keep this user out", Retry::never},
    {K::auth_timeout, Stage::auth, "auth.timeout",
     "the host accepts connections but its login hangs: look at PAM, LDAP or the home directory",
     Retry::never},
    {K::auth_failed, Stage::auth, "auth.failed", "try the same by hand: ssh -v {ssh}",
     Retry::never},
    {K::hop_forwarding_forbidden, Stage::channel, "hop.forwarding_forbidden",
     "the hop allows no forwarding: AllowTcpForwarding and PermitOpen in its sshd_config",
     Retry::never},
    {K::hop_no_channel, Stage::channel, "hop.no_channel",
     "the hop opens no further channel: raise the descriptor limit of its sshd, or use a smaller "
     "--parallel",
     Retry::never},
    {K::hop_lost, Stage::channel, "hop.lost",
     "the connection to the hop broke: look at its sshd log, then run it again", Retry::never},
    {K::channel_refused, Stage::channel, "channel.refused",
     "sshd allows no session (MaxSessions, or a key for forwarding only)", Retry::never},
    {K::channel_exec_refused, Stage::channel, "channel.exec_refused",
     "this login may not run commands: use another key or user", Retry::never},
    {K::channel_timeout, Stage::channel, "channel.timeout",
     "the login works but no session starts: look at PAM and the load of the host", Retry::never},
    {K::channel_failed, Stage::channel, "channel.failed",
     "the connection broke after the login: look at sshd's log on the host", Retry::never},
    {K::container_not_running, Stage::container, "container.not_running",
     "start the container, or take it out of the inventory", Retry::never},
    {K::container_absent, Stage::container, "container.absent",
     "check the name or number of the container", Retry::never},
    {K::container_on_other_node, Stage::container, "container.on_other_node",
     "set address: to the node that has it", Retry::never},
    {K::container_frozen, Stage::container, "container.frozen",
     "it is frozen by a backup, a snapshot or by hand: run it again later", Retry::never},
    {K::container_not_root, Stage::container, "container.not_root",
     "only root may enter containers there: set user: root", Retry::never},
    {K::container_tool_missing, Stage::container, "container.tool_missing",
     "the host lacks the tool that enters containers: check address and container", Retry::never},
    {K::container_failed, Stage::container, "container.failed", "try the same by hand: ssh {ssh}",
     Retry::never},
    {K::command_not_spawned, Stage::command, "command.not_spawned",
     "this machine could not start /bin/sh: look at its process limits", Retry::never},
    {K::ssh_failed, Stage::connect, "ssh.failed", "try the same by hand: ssh -v {ssh}",
     Retry::never},
    {K::run_interrupted, Stage::not_started, "run.interrupted", "run it again for this host",
     Retry::never},
    {K::run_out_of_time, Stage::not_started, "run.out_of_time", "give the run more time: --timeout",
     Retry::never},
    {K::internal_error, Stage::internal, "internal.error",
     "this is a fault in gpumuster: please report it with the output of -v", Retry::never},
}};

void replace_all(std::string& text, std::string_view placeholder, const std::string& value) {
    for (auto at = text.find(placeholder); at != std::string::npos;
         at = text.find(placeholder, at + value.size())) {
        text.replace(at, placeholder.size(), value);
    }
}

// ssh-copy-id has no -J.
std::string copy_id_arguments(const std::string& ssh_arguments) {
    constexpr std::string_view jump = "-J ";
    if (!ssh_arguments.starts_with(jump)) return ssh_arguments;
    return "-o ProxyJump=" + ssh_arguments.substr(jump.size());
}

std::string next_step_for(const FailureKindInfo& info, const HopRef& hop) {
    std::string text(info.next_step);
    const std::string& ssh = hop.ssh_arguments.empty() ? hop.name : hop.ssh_arguments;
    replace_all(text, "{address}", hop.address.empty() ? hop.name : hop.address);
    replace_all(text, "{ssh}", ssh);
    replace_all(text, "{copy_id}", copy_id_arguments(ssh));
    return text;
}

}  // namespace

std::string_view stage_name(Stage stage) {
    return stage_names.at(static_cast<std::size_t>(stage));
}

const FailureKindInfo& failure_info(FailureKind kind) {
    return kinds.at(static_cast<std::size_t>(kind));
}

Failure make_failure(FailureKind kind, HopRef hop, std::string message) {
    const FailureKindInfo& info = failure_info(kind);
    Failure failure;
    failure.stage = info.stage;
    failure.kind = kind;
    failure.message = std::move(message);
    failure.next_step = next_step_for(info, hop);
    failure.hop = std::move(hop);
    return failure;
}

}  // namespace gpumuster
