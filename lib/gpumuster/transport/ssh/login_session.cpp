#include "gpumuster/transport/ssh/login_session.hpp"

#include <utility>

#include <fmt/format.h>
#include <asio/this_coro.hpp>

#include "gpumuster/base/units.hpp"
#include "gpumuster/transport/loop/connect.hpp"
#include "gpumuster/transport/loop/pause.hpp"
#include "gpumuster/transport/ssh/login.hpp"
#include "gpumuster/transport/ssh/shared_hop.hpp"

namespace gpumuster {
namespace {

Failure interrupted(const HopRef& hop) {
    return make_failure(FailureKind::run_interrupted, hop, "interrupted");
}

Failure resolve_failure(const ResolveOutcome& outcome, const HopRef& hop) {
    const std::string& name = hop.address;
    switch (outcome.status) {
        case ResolveStatus::not_found:
            return make_failure(FailureKind::resolve_not_found, hop,
                                fmt::format("{} is not a known host name", name));
        case ResolveStatus::timed_out:
            return make_failure(FailureKind::resolve_timeout, hop,
                                fmt::format("no answer to the look-up of {}", name));
        case ResolveStatus::cancelled:
            return interrupted(hop);
        default:
            return make_failure(FailureKind::resolve_failed, hop,
                                fmt::format("{} cannot be looked up: {}", name, outcome.detail));
    }
}

Failure connect_failure(const ConnectOutcome& outcome, const HopRef& hop, std::uint16_t port,
                        std::chrono::milliseconds budget) {
    const std::string where = fmt::format("{} port {}", hop.address, port);
    switch (outcome.status) {
        case ConnectStatus::refused:
            return make_failure(FailureKind::connect_refused, hop, where + " refuses connections");
        case ConnectStatus::reset:
            return make_failure(FailureKind::handshake_closed, hop,
                                "the connection was accepted and reset without a word");
        case ConnectStatus::no_route:
            return make_failure(FailureKind::connect_no_route, hop,
                                fmt::format("{}: {}", where, outcome.detail));
        case ConnectStatus::timed_out:
            return make_failure(
                FailureKind::connect_timeout, hop,
                fmt::format("{} does not answer within {}", where, format_duration(budget)));
        case ConnectStatus::cancelled:
            return interrupted(hop);
        case ConnectStatus::out_of_descriptors:
            return make_failure(
                FailureKind::connect_failed, hop,
                "this machine has no file descriptor left: use a smaller --parallel");
        default:
            return make_failure(FailureKind::connect_failed, hop,
                                fmt::format("{}: {}", where, outcome.detail));
    }
}

struct Socket {
    UniqueFd fd;
    std::string peer_address;
};

// From here: looks the name up and connects to what it finds.
asio::awaitable<Result<Socket>> connect_straight(const LeggedLogin& leg, Resolver& resolver) {
    const asio::any_io_executor executor = co_await asio::this_coro::executor;
    const auto leave = std::make_shared<Signal>(executor);
    const std::stop_callback on_cancel(leg.cancel, [leave] { leave->cancel(); });

    leg.clock.enter(Stage::resolve);
    const Deadline resolve_by = std::chrono::steady_clock::now() + leg.budgets.resolve;
    const ResolveOutcome resolved =
        co_await resolver.resolve(leg.login.address, leg.login.port, resolve_by, leave);
    if (resolved.status != ResolveStatus::resolved) {
        co_return failed(resolve_failure(resolved, leg.hop));
    }

    leg.clock.enter(Stage::connect);
    const Deadline connect_by = std::chrono::steady_clock::now() + leg.budgets.connect;
    ConnectOutcome connected = co_await connect_any(resolved.addresses, connect_by, leave);
    if (connected.status != ConnectStatus::connected) {
        co_return failed(connect_failure(connected, leg.hop, leg.login.port, leg.budgets.connect));
    }
    notice_silence(connected.fd.get());
    Socket socket;
    socket.fd = std::move(connected.fd);
    socket.peer_address = std::move(connected.peer_address);
    co_return socket;
}

asio::awaitable<Result<Socket>> connect_through(const LeggedLogin& leg) {
    leg.clock.enter(Stage::connect);
    Result<UniqueFd> fd = co_await leg.through->tunnel(leg.login.address, leg.login.port, leg.hop,
                                                       leg.budgets.connect, leg.cancel);
    if (!fd) co_return failed(std::move(fd.error()));
    Socket socket;
    socket.fd = std::move(*fd);
    co_return socket;
}

asio::awaitable<std::optional<Failure>> authenticate(const LeggedLogin& leg,
                                                     const LoginTools& tools, SshSession& session) {
    leg.clock.enter(Stage::handshake);
    const Deadline shake_by = std::chrono::steady_clock::now() + leg.budgets.handshake;
    std::optional<Failure> failure = co_await shake_hands(session, leg.hop, shake_by);
    if (failure) co_return failure;

    leg.clock.enter(Stage::host_key);
    HostKeyStore& keys = tools.credentials.host_keys_of(leg.login);
    HostKeyCheck check = co_await check_host_key(session, leg.hop, leg.login, keys, leg.cancel);
    if (check.failure) co_return std::move(check.failure);
    if (check.remark) add_remark(leg.remarks, std::move(*check.remark));

    leg.clock.enter(Stage::auth);
    const LoginAttempt attempt{leg.hop,
                               leg.login,
                               tools.credentials,
                               leg.ledger,
                               leg.is_target && check.was_known,
                               std::chrono::steady_clock::now() + leg.budgets.auth,
                               leg.cancel};
    co_return co_await log_in(session, attempt);
}

// What can be said before anything is contacted.
Result<SessionAlgorithms> algorithms_for(const LeggedLogin& leg, const LoginTools& tools) {
    const HostKeyName name = host_key_name(leg.login);
    if (tools.credentials.known_hosts_of(leg.login).needs_certificates(name)) {
        return failed(make_failure(FailureKind::hostkey_certificate_only, leg.hop,
                                   fmt::format("known_hosts trusts {} by a certificate authority "
                                               "only",
                                               known_hosts_name(leg.login))));
    }
    const HostKeyStore& keys = tools.credentials.host_keys_of(leg.login);
    std::optional<SessionAlgorithms> chosen =
        choose_algorithms(leg.login.algorithms, keys.key_types(name));
    if (chosen) return std::move(*chosen);
    return failed(make_failure(FailureKind::config_unsupported, leg.hop,
                               "ssh_config allows only algorithms that libssh does not have"));
}

asio::awaitable<Result<LoggedIn>> try_once(const LeggedLogin& leg, const LoginTools& tools) {
    Result<SessionAlgorithms> algorithms = algorithms_for(leg, tools);
    if (!algorithms) co_return failed(std::move(algorithms.error()));
    Result<Socket> socket = failed(Failure());
    if (leg.through) {
        socket = co_await connect_through(leg);
    } else {
        socket = co_await connect_straight(leg, tools.resolver);
    }
    if (!socket) co_return failed(std::move(socket.error()));

    const asio::any_io_executor executor = co_await asio::this_coro::executor;
    LoggedIn result;
    result.peer_address = std::move(socket->peer_address);
    result.session = std::make_unique<SshSession>(executor, std::move(socket->fd),
                                                  std::move(*algorithms), leg.cancel);
    std::optional<Failure> failure = co_await authenticate(leg, tools, *result.session);
    if (failure) co_return failed(std::move(*failure));
    co_return result;
}

// What the way broke at, when a target's trouble is only its consequence.
Failure named_after_the_hop(Failure failure, const LeggedLogin& leg) {
    if (leg.through && leg.through->is_lost() && failure.kind != FailureKind::run_interrupted) {
        return leg.through->lost_failure();
    }
    return failure;
}

}  // namespace

asio::awaitable<Result<LoggedIn>> log_in_to(const LeggedLogin& leg, const LoginTools& tools) {
    Retries retries(tools.jitter);
    while (true) {
        leg.clock.enter(Stage::connect);
        std::unique_ptr<LoginLedger::Place> place = co_await leg.ledger.enter(leg.sshd, leg.cancel);
        if (!place) co_return failed(interrupted(leg.hop));
        Result<LoggedIn> result = co_await try_once(leg, tools);
        if (result) {
            result->place = std::move(place);
            leg.clock.leave();
            co_return result;
        }

        Failure failure = named_after_the_hop(std::move(result.error()), leg);
        if (Retries::was_dropped(failure)) place->dropped();
        place.reset();
        const auto pause = retries.pause_after(failure);
        if (!pause) {
            leg.clock.leave();
            co_return failed(std::move(failure));
        }
        leg.clock.enter(Stage::connect);
        const Deadline again = std::chrono::steady_clock::now() + *pause;
        const Wake wake = co_await pause_until(again, leg.cancel);
        if (wake == Wake::cancelled) co_return failed(interrupted(leg.hop));
    }
}

}  // namespace gpumuster
