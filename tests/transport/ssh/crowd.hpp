#pragma once

#include <memory>
#include <stop_token>
#include <vector>

#include <asio/co_spawn.hpp>
#include <asio/io_context.hpp>

#include "gpumuster/transport/loop/signal.hpp"
#include "gpumuster/transport/ssh/ssh_transport.hpp"
#include "support/run_on_loop.hpp"
#include "support/ssh_visit.hpp"
#include "support/targets.hpp"

namespace gpumuster::test {

// Many visits at once on one loop through one transport.
class Crowd {
public:
    explicit Crowd(std::vector<Target> targets)
        : targets_(std::move(targets)), transport_(make_ssh_transport(targets_, SshOptions())) {}

    std::stop_source& stop() { return stop_; }
    Budgets budgets;
    // Called on the loop when a visit has its connection open.
    std::function<void(std::size_t)> on_open;

    std::vector<VisitOutcome> visit_all(const std::vector<RemoteCommand>& commands) {
        asio::io_context context;
        return run_on(context, go(context, commands));
    }

private:
    asio::awaitable<std::vector<VisitOutcome>> go(asio::io_context& context,
                                                  const std::vector<RemoteCommand>& commands) {
        std::vector<VisitOutcome> outcomes(targets_.size());
        std::size_t left = targets_.size();
        Signal all_done(context.get_executor());
        for (std::size_t i = 0; i < targets_.size(); ++i) {
            asio::co_spawn(context, visit_one(i, commands, outcomes[i]), [&](std::exception_ptr) {
                if (--left == 0) all_done.notify();
            });
        }
        if (left > 0) co_await all_done.wait(Deadline::max());
        co_await transport_->leave_loop();
        co_return outcomes;
    }

    asio::awaitable<void> visit_one(std::size_t index, const std::vector<RemoteCommand>& commands,
                                    VisitOutcome& outcome) {
        const Target& target = targets_[index];
        StageClock clock;
        const OpenRequest request{target.host, *target.settings, budgets,        stop_.get_token(),
                                  clock,       ledger_,          outcome.remarks};
        Result<std::unique_ptr<Connection>> opened = co_await transport_->open(request);
        if (!opened) {
            outcome.failure = opened.error();
            co_return;
        }
        if (on_open) on_open(index);
        for (const RemoteCommand& command : commands) {
            Result<CommandOutput> output = co_await (*opened)->run(command);
            if (!output) {
                outcome.failure = output.error();
                co_return;
            }
            outcome.outputs.push_back(std::move(*output));
        }
    }

    const std::vector<Target> targets_;
    const std::unique_ptr<Transport> transport_;
    OpenLedger ledger_;
    std::stop_source stop_;
};

}  // namespace gpumuster::test
