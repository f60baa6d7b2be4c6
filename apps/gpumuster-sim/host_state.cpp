#include "gpumuster-sim/host_state.hpp"

#include <array>
#include <cstddef>

namespace gpumuster::sim {
namespace {

constexpr std::array<HostStateInfo, 31> table{{
    {HostState::clean, "clean", Player::session},
    {HostState::slow, "slow", Player::session},
    {HostState::busy, "busy", Player::session},
    {HostState::held, "held", Player::session},
    {HostState::missing_gpu, "missing_gpu", Player::session},
    {HostState::lost_gpu, "lost_gpu", Player::session},
    {HostState::needs_reset, "needs_reset", Player::session},
    {HostState::version_mismatch, "version_mismatch", Player::session},
    {HostState::driver_not_loaded, "driver_not_loaded", Player::session},
    {HostState::field_refused, "field_refused", Player::session},
    {HostState::hung, "hung", Player::session},
    {HostState::stuck, "stuck", Player::session},
    {HostState::flood, "flood", Player::session},
    {HostState::torn, "torn", Player::session},
    {HostState::no_status, "no_status", Player::session},
    {HostState::signalled, "signalled", Player::session},
    {HostState::unknown_key, "unknown_key", Player::session},
    {HostState::changed_key, "changed_key", Player::session},
    {HostState::no_common_algorithm, "no_common_algorithm", Player::socket},
    {HostState::refused_key, "refused_key", Player::session},
    {HostState::partial_auth, "partial_auth", Player::session},
    {HostState::stuck_auth, "stuck_auth", Player::session},
    {HostState::channel_refused, "channel_refused", Player::session},
    {HostState::stuck_channel, "stuck_channel", Player::session},
    {HostState::exec_refused, "exec_refused", Player::session},
    {HostState::refused_port, "refused_port", Player::nobody},
    {HostState::closed_before_banner, "closed_before_banner", Player::socket},
    {HostState::throttled, "throttled", Player::socket},
    {HostState::penalised, "penalised", Player::socket},
    {HostState::silent, "silent", Player::socket},
    {HostState::not_ssh, "not_ssh", Player::socket},
}};

constexpr bool is_in_enum_order() {
    for (std::size_t i = 0; i < table.size(); ++i) {
        if (static_cast<std::size_t>(table[i].state) != i) return false;
    }
    return true;
}
static_assert(is_in_enum_order());

}  // namespace

std::span<const HostStateInfo> host_states() {
    return table;
}

const HostStateInfo& state_info(HostState state) {
    return table[static_cast<std::size_t>(state)];
}

std::optional<HostState> state_named(std::string_view name) {
    for (const HostStateInfo& info : table) {
        if (info.name == name) return info.state;
    }
    return {};
}

}  // namespace gpumuster::sim
