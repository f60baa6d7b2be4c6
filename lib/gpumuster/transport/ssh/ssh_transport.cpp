#include "gpumuster/transport/ssh/ssh_transport.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <utility>

#include <fmt/format.h>
#include <asio/this_coro.hpp>

#include "gpumuster/base/input_error.hpp"
#include "gpumuster/base/units.hpp"
#include "gpumuster/transport/loop/connect.hpp"
#include "gpumuster/transport/loop/resolve.hpp"
#include "gpumuster/transport/ssh/connection.hpp"
#include "gpumuster/transport/ssh/key_ring.hpp"
#include "gpumuster/transport/ssh/login.hpp"
#include "gpumuster/transport/trust/known_hosts.hpp"

namespace gpumuster {
namespace {

// What the hosts of a run are trusted and logged in with; read before the run, then shared.
class Credentials {
public:
    Credentials(std::span<const Host> hosts, const LoginDefaults& defaults) {
        for (const Host& host : hosts) {
            if (host.reach != Reach::ssh) continue;
            const EffectiveSettings settings = effective_settings(host, defaults);
            load_keys(settings);
            load_known_hosts(settings.known_hosts_files, !host.settings.known_hosts.empty());
        }
        if (!errors_.empty()) throw InputError(errors_);
    }

    std::vector<const PrivateKey*> keys_of(const EffectiveSettings& settings) const {
        std::vector<const PrivateKey*> keys;
        for (const std::string& path : settings.identity_files) keys.push_back(&keys_.at(path));
        return keys;
    }
    const KnownHosts& known_hosts_of(const EffectiveSettings& settings) const {
        return known_hosts_.at(settings.known_hosts_files);
    }

private:
    void load_keys(const EffectiveSettings& settings) {
        for (const std::string& path : settings.identity_files) {
            const PrivateKey& key = keys_.load(path);
            const bool cannot_be_meant = key.state == PrivateKey::State::missing ||
                                         key.state == PrivateKey::State::unreadable;
            if (settings.identities_are_explicit && cannot_be_meant) {
                complain("identity: " + key.trouble());
            }
        }
    }

    void load_known_hosts(const std::vector<std::string>& paths, bool is_explicit) {
        if (known_hosts_.contains(paths)) return;
        std::vector<std::shared_ptr<const KnownHostsFile>> files;
        for (const std::string& path : paths) {
            if (auto file = load_file(path, is_explicit)) files.push_back(std::move(file));
        }
        known_hosts_.emplace(paths, KnownHosts(std::move(files)));
    }

    std::shared_ptr<const KnownHostsFile> load_file(const std::string& path, bool is_explicit) {
        const auto found = files_.find(path);
        if (found != files_.end()) return found->second;
        std::shared_ptr<const KnownHostsFile> file;
        errno = 0;
        if (auto read = KnownHostsFile::read(path)) {
            file = std::make_shared<const KnownHostsFile>(std::move(*read));
        } else if (is_explicit || errno != ENOENT) {
            complain(fmt::format("known_hosts: {}: {}", path, std::strerror(errno)));
        }
        files_.emplace(path, file);
        return file;
    }

    void complain(const std::string& line) {
        if (std::find(errors_.begin(), errors_.end(), line) == errors_.end()) {
            errors_.push_back(line);
        }
    }

    KeyRing keys_;
    std::map<std::string, std::shared_ptr<const KnownHostsFile>> files_;
    std::map<std::vector<std::string>, KnownHosts> known_hosts_;
    std::vector<std::string> errors_;
};

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
    SshTransport(std::span<const Host> hosts, const SshOptions& options)
        : options_(options), credentials_(hosts, options.login) {}

    asio::awaitable<Result<std::unique_ptr<Connection>>> open(const OpenRequest& request) override {
        const HopRef hop = target_hop(request.host, request.settings);
        Result<ConnectOutcome> socket = co_await reach(request, hop);
        if (!socket) co_return failed(std::move(socket.error()));

        const asio::any_io_executor executor = co_await asio::this_coro::executor;
        const KnownHosts& known_hosts = credentials_.known_hosts_of(request.settings);
        const HostKeyName name{request.settings.address, request.settings.port};
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
            request.settings.address, request.settings.port, resolve_by, leave);
        if (resolved.status != ResolveStatus::resolved) {
            request.clock.leave();
            co_return failed(resolve_failure(resolved, hop));
        }

        request.clock.enter(Stage::connect);
        const Deadline connect_by = std::chrono::steady_clock::now() + request.budgets.connect;
        ConnectOutcome connected = co_await connect_any(resolved.addresses, connect_by, leave);
        request.clock.leave();
        if (connected.status != ConnectStatus::connected) {
            co_return failed(
                connect_failure(connected, hop, request.settings.port, request.budgets.connect));
        }
        co_return connected;
    }

    asio::awaitable<std::optional<Failure>> authenticate(const OpenRequest& request,
                                                         SshSession& session, const HopRef& hop,
                                                         const KnownHosts& known_hosts) {
        request.clock.enter(Stage::handshake);
        const Deadline shake_by = std::chrono::steady_clock::now() + request.budgets.handshake;
        std::optional<Failure> failure = co_await shake_hands(session, hop, shake_by);
        if (failure) co_return failure;

        request.clock.enter(Stage::host_key);
        failure = check_host_key(session, hop, request.settings, known_hosts);
        if (failure) co_return failure;

        request.clock.enter(Stage::auth);
        const std::vector<const PrivateKey*> keys = credentials_.keys_of(request.settings);
        const Deadline auth_by = std::chrono::steady_clock::now() + request.budgets.auth;
        co_return co_await log_in(session, hop, request.settings.user, keys, auth_by);
    }

    const SshOptions options_;
    const Credentials credentials_;
    Resolver resolver_;
};

}  // namespace

std::unique_ptr<Transport> make_ssh_transport(std::span<const Host> hosts,
                                              const SshOptions& options) {
    return std::make_unique<SshTransport>(hosts, options);
}

std::string libssh_version() {
    return ::ssh_version(0);
}

}  // namespace gpumuster
