#include "gpumuster/report/failure_phrase.hpp"

#include <array>
#include <string_view>

#include "gpumuster/base/safe_text.hpp"

namespace gpumuster {
namespace {

struct Phrase {
    FailureKind kind;
    std::string_view text;
};

using K = FailureKind;

// In the order of the enum, which the compiler checks below.
constexpr std::array<Phrase, failure_kind_count> phrases{{
    {K::config_refused, "ssh_config refused"},
    {K::config_timeout, "ssh_config not read in time"},
    {K::config_failed, "ssh_config not read"},
    {K::config_unsupported, "needs the system ssh"},
    {K::config_no_ssh, "no ssh installed here"},
    {K::resolve_not_found, "name not found"},
    {K::resolve_failed, "name lookup failed"},
    {K::resolve_timeout, "name lookup timed out"},
    {K::connect_refused, "connection refused"},
    {K::connect_no_route, "no route to it"},
    {K::connect_timeout, "connection timed out"},
    {K::connect_failed, "connection failed"},
    {K::handshake_not_ssh, "not an SSH server"},
    {K::handshake_closed, "closed before the handshake"},
    {K::handshake_throttled, "sshd throttles logins"},
    {K::handshake_penalised, "sshd refuses this address"},
    {K::handshake_timeout, "handshake timed out"},
    {K::handshake_no_common_algorithm, "no common algorithm"},
    {K::handshake_failed, "handshake failed"},
    {K::hostkey_unknown, "host key unknown"},
    {K::hostkey_changed, "host key changed"},
    {K::hostkey_revoked, "host key revoked"},
    {K::hostkey_certificate_only, "host certificate not supported"},
    {K::auth_no_key, "no usable key"},
    {K::auth_not_tried, "login not tried"},
    {K::auth_denied, "login denied"},
    {K::auth_partial, "second factor wanted"},
    {K::auth_agent_failed, "ssh agent failed"},
    {K::auth_login_refused, "login refused by policy"},
    {K::auth_timeout, "login timed out"},
    {K::auth_failed, "login failed"},
    {K::hop_forwarding_forbidden, "forwarding forbidden"},
    {K::hop_no_channel, "no channel"},
    {K::hop_lost, "connection lost"},
    {K::channel_refused, "session refused"},
    {K::channel_exec_refused, "command refused"},
    {K::channel_timeout, "session timed out"},
    {K::channel_failed, "session failed"},
    {K::container_not_running, "container not running"},
    {K::container_absent, "no such container"},
    {K::container_on_other_node, "container on another node"},
    {K::container_frozen, "container frozen"},
    {K::container_not_root, "not root, container closed"},
    {K::container_tool_missing, "container tool missing"},
    {K::container_failed, "container not entered"},
    {K::command_not_spawned, "command not started"},
    {K::ssh_failed, "ssh failed"},
    {K::run_interrupted, "not inspected: interrupted"},
    {K::run_out_of_time, "not inspected: out of time"},
    {K::internal_error, "internal error"},
}};

constexpr bool is_in_order() {
    for (std::size_t i = 0; i < phrases.size(); ++i) {
        if (static_cast<std::size_t>(phrases[i].kind) != i) return false;
    }
    return true;
}
static_assert(is_in_order());

}  // namespace

std::string failure_phrase(const Failure& failure) {
    std::string phrase(phrases.at(static_cast<std::size_t>(failure.kind)).text);
    if (failure.hop.index > 0) phrase += " at " + quote_line(failure.hop.name, 40);
    return phrase;
}

}  // namespace gpumuster
