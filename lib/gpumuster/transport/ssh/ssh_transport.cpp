#include "gpumuster/transport/ssh/ssh_transport.hpp"

#include <map>
#include <mutex>
#include <utility>

#include <asio/this_coro.hpp>

#include "gpumuster/transport/loop/resolve.hpp"
#include "gpumuster/transport/ssh/connection.hpp"
#include "gpumuster/transport/ssh/container_connection.hpp"
#include "gpumuster/transport/ssh/hop_pool.hpp"
#include "gpumuster/transport/ssh/login_session.hpp"

namespace gpumuster {
namespace {

// The sshds whose sessions are shared on the way to a target: its hops, and for a container the
// host that it is on.
std::vector<HopPool::Step> shared_part(const Host& host, const EffectiveSettings& settings) {
    std::vector<HopPool::Step> chain;
    for (std::size_t i = 0; i < settings.hops.size(); ++i) {
        chain.push_back(HopPool::Step{&settings.hops[i], jump_hop(settings, i)});
    }
    if (host.settings.container) {
        chain.push_back(HopPool::Step{&settings.target, target_hop(settings)});
    }
    return chain;
}

class SshTransport : public Transport {
public:
    SshTransport(std::span<const Target> targets, const SshOptions& options)
        : output_cap_bytes_(options.output_cap_bytes),
          credentials_(targets, options.credentials),
          tools_{credentials_, resolver_, options.jitter} {}

    asio::awaitable<Result<std::unique_ptr<Connection>>> open(const OpenRequest& request) override {
        HopPool::Entered entered;
        const std::vector<HopPool::Step> chain = shared_part(request.host, request.settings);
        if (!chain.empty()) {
            request.clock.enter(Stage::connect);
            const HopPool::Visitor visitor{request.budgets, request.cancel, request.ledger,
                                           request.remarks};
            const asio::any_io_executor executor = co_await asio::this_coro::executor;
            HopPool& pool = pool_of(executor);
            Result<HopPool::Entered> result = co_await pool.enter(chain, visitor);
            request.clock.leave();
            if (!result) co_return failed(std::move(result.error()));
            entered = std::move(*result);
        }
        if (request.host.settings.container) {
            co_return into_container(request, std::move(entered));
        }
        co_return co_await log_in_behind(request, chain, std::move(entered));
    }

    std::string shared_session(const Host& host, const EffectiveSettings& settings) const override {
        const std::vector<HopPool::Step> chain = shared_part(host, settings);
        return chain.empty() ? std::string() : chain_name(std::span(chain).first(1));
    }

    asio::awaitable<void> leave_loop() override {
        const asio::any_io_executor executor = co_await asio::this_coro::executor;
        const std::unique_ptr<HopPool> pool = take_pool_of(executor);
        if (pool) co_await pool->close();
    }

private:
    HopPool& pool_of(const asio::any_io_executor& executor) {
        const std::lock_guard lock(mutex_);
        std::unique_ptr<HopPool>& pool = pools_[&executor.context()];
        if (!pool) pool = std::make_unique<HopPool>(executor, tools_);
        return *pool;
    }

    // A pool goes before its loop does.
    std::unique_ptr<HopPool> take_pool_of(const asio::any_io_executor& executor) {
        const std::lock_guard lock(mutex_);
        const auto found = pools_.find(&executor.context());
        if (found == pools_.end()) return nullptr;
        std::unique_ptr<HopPool> pool = std::move(found->second);
        pools_.erase(found);
        return pool;
    }

    std::unique_ptr<Connection> into_container(const OpenRequest& request,
                                               HopPool::Entered entered) const {
        ContainerConnection::Parts parts;
        parts.host = std::move(entered.hop);
        parts.container = *request.host.settings.container;
        parts.hop = target_hop(request.settings);
        parts.remote_address = std::move(entered.peer_address);
        parts.output_cap_bytes = output_cap_bytes_;
        parts.channel_budget = request.budgets.channel;
        parts.cancel = request.cancel;
        return std::make_unique<ContainerConnection>(std::move(parts), request.clock);
    }

    asio::awaitable<Result<std::unique_ptr<Connection>>> log_in_behind(
        const OpenRequest& request, const std::vector<HopPool::Step>& hops,
        HopPool::Entered entered) {
        std::vector<HopPool::Step> way = hops;
        way.push_back(HopPool::Step{&request.settings.target, target_hop(request.settings)});
        const LeggedLogin leg{
            request.settings.target, way.back().hop,  true,           entered.hop,
            sshd_name(way),          request.budgets, request.cancel, request.clock,
            request.ledger,          request.remarks};
        Result<LoggedIn> logged_in = co_await log_in_to(leg, tools_);
        if (!logged_in) co_return failed(std::move(logged_in.error()));

        SshConnection::Parts parts;
        parts.through = std::move(entered.hop);
        parts.session = std::move(logged_in->session);
        parts.place = std::move(logged_in->place);
        parts.hop = leg.hop;
        parts.remote_address = std::move(logged_in->peer_address);
        parts.output_cap_bytes = output_cap_bytes_;
        parts.channel_budget = request.budgets.channel;
        co_return std::make_unique<SshConnection>(std::move(parts), request.clock);
    }

    const std::size_t output_cap_bytes_;
    Credentials credentials_;
    Resolver resolver_;
    const LoginTools tools_;
    std::mutex mutex_;
    std::map<const asio::execution_context*, std::unique_ptr<HopPool>> pools_;
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
