#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace gpumuster {

// The steps of a visit, in the order in which they happen. `not_started` and `internal` stand for
// hosts that no step was taken for, or whose visit ended by a fault of our own.
enum class Stage {
    config,
    resolve,
    connect,
    handshake,
    host_key,
    auth,
    channel,
    container,
    command,
    not_started,
    internal,
};
inline constexpr std::size_t stage_count = static_cast<std::size_t>(Stage::internal) + 1;

// The name used in reports: "host-key", "not-started".
std::string_view stage_name(Stage stage);

// Where on the way something happened. Index 0 is the target itself, 1 the first jump host.
struct HopRef {
    int index = 0;
    std::string name;           // as the inventory calls it
    std::string address;        // what is resolved and connected to; empty: the name
    std::string ssh_arguments;  // what follows `ssh` to get there by hand; empty: the name
};

// Everything that can keep a command from being started on a host. The list is closed: code
// branches on a kind, never on the text of a message.
enum class FailureKind {
    config_refused,
    config_timeout,
    config_failed,
    config_unsupported,
    config_no_ssh,
    resolve_not_found,
    resolve_failed,
    resolve_timeout,
    connect_refused,
    connect_no_route,
    connect_timeout,
    connect_failed,
    handshake_not_ssh,
    handshake_closed,
    handshake_throttled,
    handshake_penalised,
    handshake_timeout,
    handshake_no_common_algorithm,
    handshake_failed,
    hostkey_unknown,
    hostkey_changed,
    hostkey_revoked,
    hostkey_certificate_only,
    auth_no_key,
    auth_not_tried,
    auth_denied,
    auth_partial,
    auth_agent_failed,
    auth_login_refused,
    auth_timeout,
    auth_failed,
    hop_forwarding_forbidden,
    hop_no_channel,
    hop_lost,
    channel_refused,
    channel_exec_refused,
    channel_timeout,
    channel_failed,
    container_not_running,
    container_absent,
    container_on_other_node,
    container_frozen,
    container_not_root,
    container_tool_missing,
    container_failed,
    command_not_spawned,
    ssh_failed,
    run_interrupted,
    run_out_of_time,
    internal_error,
};
inline constexpr std::size_t failure_kind_count =
    static_cast<std::size_t>(FailureKind::internal_error) + 1;

enum class Retry { never, before_credentials };

// One row of the table of kinds. `next_step` is what the user can do; "{address}" in it stands for
// the hop's address, "{ssh}" for the arguments of ssh that lead to it, "{copy_id}" for those of
// ssh-copy-id.
struct FailureKindInfo {
    FailureKind kind;
    Stage stage;
    std::string_view id;  // stable, dotted: "hostkey.changed"
    std::string_view next_step;
    Retry retry;
};

const FailureKindInfo& failure_info(FailureKind kind);

// Why a host was not inspected: remote trouble before a command runs, as a value.
struct Failure {
    Stage stage = Stage::internal;
    HopRef hop;
    FailureKind kind = FailureKind::internal_error;
    std::string message;    // one line, lower case, made safe
    std::string next_step;  // one line; a command where one exists
};

// A failure of `kind` at the stage of its table row, with the row's next step.
Failure make_failure(FailureKind kind, HopRef hop, std::string message);

}  // namespace gpumuster
