#include "gpumuster/transport/ssh/ssh_transport.hpp"

#include <utility>

#include <fmt/format.h>
#include <asio/this_coro.hpp>

#include "gpumuster/base/units.hpp"
#include "gpumuster/transport/loop/connect.hpp"
#include "gpumuster/transport/loop/resolve.hpp"
#include "gpumuster/transport/ssh/connection.hpp"
#include "gpumuster/transport/ssh/credentials.hpp"
#include "gpumuster/transport/ssh/login.hpp"

namespace gpumuster {
namespace {

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
            return make_failure(FailureKind::run_interrupted, hop, "interrupted");
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
        case ConnectStatus::no_route:
            return make_failure(FailureKind::connect_no_route, hop,
                                fmt::format("{}: {}", where, outcome.detail));
        case ConnectStatus::timed_out:
            return make_failure(
                FailureKind::connect_timeout, hop,
                fmt::format("{} does not answer within {}", where, format_duration(budget)));
        case ConnectStatus::cancelled:
            return make_failure(FailureKind::run_interrupted, hop, "interrupted");
        case ConnectStatus::out_of_descriptors:
            return make_failure(
                FailureKind::connect_failed, hop,
                "this machine has no file descriptor left: use a smaller --parallel");
        default:
            return make_failure(FailureKind::connect_failed, hop,
                                fmt::format("{}: {}", where, outcome.detail));
    }
}

class SshTransport : public Transport {
public:
    SshTransport(std::span<const Target> targets, const SshOptions& options)
        : options_(options), credentials_(targets) {}

    asio::awaitable<Result<std::unique_ptr<Connection>>> open(const OpenRequest& request) override {
        const HopRef hop = target_hop(request.settings);
        Result<ConnectOutcome> socket = co_await reach(request, hop);
        if (!socket) co_return failed(std::move(socket.error()));

        const asio::any_io_executor executor = co_await asio::this_coro::executor;
        KnownHosts& known_hosts = credentials_.known_hosts_of(request.settings.target);
        const HostKeyName name{request.settings.target.address, request.settings.target.port};
        const std::string algorithms = host_key_algorithms(known_hosts.key_types(name));
        auto session = std::make_unique<SshSession>(executor, std::move(socket->fd), algorithms,
                                                    request.cancel);

        std::optional<Failure> failure = co_await authenticate(request, *session, hop, known_hosts);
        request.clock.leave();
        if (failure) co_return failed(std::move(*failure));

        SshConnection::Parts parts;
        parts.session = std::move(session);
        parts.hop = hop;
        parts.remote_address = socket->peer_address;
        parts.output_cap_bytes = options_.output_cap_bytes;
        parts.channel_budget = request.budgets.channel;
        co_return std::make_unique<SshConnection>(std::move(parts), request.clock);
    }

private:
    // Resolve and connect.
    asio::awaitable<Result<ConnectOutcome>> reach(const OpenRequest& request, const HopRef& hop) {
        const asio::any_io_executor executor = co_await asio::this_coro::executor;
        const auto leave = std::make_shared<Signal>(executor);
        const std::stop_callback on_cancel(request.cancel, [leave] { leave->cancel(); });

        request.clock.enter(Stage::resolve);
        const Deadline resolve_by = std::chrono::steady_clock::now() + request.budgets.resolve;
        const ResolveOutcome resolved = co_await resolver_.resolve(
            request.settings.target.address, request.settings.target.port, resolve_by, leave);
        if (resolved.status != ResolveStatus::resolved) {
            request.clock.leave();
            co_return failed(resolve_failure(resolved, hop));
        }

        request.clock.enter(Stage::connect);
        const Deadline connect_by = std::chrono::steady_clock::now() + request.budgets.connect;
        ConnectOutcome connected = co_await connect_any(resolved.addresses, connect_by, leave);
        request.clock.leave();
        if (connected.status != ConnectStatus::connected) {
            co_return failed(connect_failure(connected, hop, request.settings.target.port,
                                             request.budgets.connect));
        }
        co_return connected;
    }

    asio::awaitable<std::optional<Failure>> authenticate(const OpenRequest& request,
                                                         SshSession& session, const HopRef& hop,
                                                         KnownHosts& known_hosts) {
        request.clock.enter(Stage::handshake);
        const Deadline shake_by = std::chrono::steady_clock::now() + request.budgets.handshake;
        std::optional<Failure> failure = co_await shake_hands(session, hop, shake_by);
        if (failure) co_return failure;

        request.clock.enter(Stage::host_key);
        HostKeyCheck check = check_host_key(session, hop, request.settings.target, known_hosts);
        if (check.failure) co_return std::move(check.failure);

        request.clock.enter(Stage::auth);
        const Deadline auth_by = std::chrono::steady_clock::now() + request.budgets.auth;
        const LoginAttempt attempt{
            hop,     request.settings.target, credentials_, request.ledger, check.was_known,
            auth_by, request.cancel};
        co_return co_await log_in(session, attempt);
    }

    const SshOptions options_;
    Credentials credentials_;
    Resolver resolver_;
};

}  // namespace

std::unique_ptr<Transport> make_ssh_transport(std::span<const Target> targets,
                                              const SshOptions& options) {
    return std::make_unique<SshTransport>(targets, options);
}

std::string libssh_version() {
    return ::ssh_version(0);
}

}  // namespace gpumuster
