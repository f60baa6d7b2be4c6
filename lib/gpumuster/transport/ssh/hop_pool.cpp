#include "gpumuster/transport/ssh/hop_pool.hpp"

#include <algorithm>
#include <deque>
#include <exception>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <asio/co_spawn.hpp>

#include "gpumuster/base/safe_text.hpp"

namespace gpumuster {
namespace {

constexpr int most_openings = 3;

}  // namespace

struct HopPool::Entry {
    // Copies: the visit that asks first may be gone before the session is open.
    std::deque<Login> logins;
    std::vector<Step> chain;  // points into logins
    Budgets budgets;
    std::stop_token cancel;
    LoginLedger* ledger = nullptr;
    std::vector<Remark> remarks;

    bool is_opening = false;
    int openings = 0;
    Result<Entered> result = failed(Failure());
    std::vector<std::shared_ptr<Signal>> waiters;
};

HopPool::HopPool(const asio::any_io_executor& executor, const LoginTools& tools)
    : executor_(executor), tools_(tools), all_joined_(executor) {}

HopPool::~HopPool() = default;

std::string chain_name(std::span<const HopPool::Step> chain) {
    std::string name;
    for (const HopPool::Step& step : chain) {
        const Login& login = *step.login;
        name += fmt::format("{}@{}:{} {} {} {} > ", login.user, login.address, login.port,
                            fmt::join(login.identity_files, ","),
                            fmt::join(login.known_hosts_files, ","), login.host_key_alias);
    }
    return name;
}

std::string sshd_name(std::span<const HopPool::Step> chain) {
    std::string name;
    for (const HopPool::Step& step : chain) {
        name += fmt::format("{}:{} > ", step.login->address, step.login->port);
    }
    return name;
}

asio::awaitable<Result<HopPool::Entered>> HopPool::enter(std::span<const Step> chain,
                                                         const Visitor& visitor) {
    std::shared_ptr<Entry>& slot = entries_[chain_name(chain)];
    if (!slot) {
        slot = std::make_shared<Entry>();
        for (const Step& step : chain) {
            slot->logins.push_back(*step.login);
            slot->chain.push_back(Step{&slot->logins.back(), step.hop});
        }
        slot->budgets = visitor.budgets;
        slot->cancel = visitor.cancel;
        slot->ledger = &visitor.ledger;
    }
    const std::shared_ptr<Entry> entry = slot;
    const bool is_lost = entry->result && entry->result->hop->is_lost();
    const bool must_open = entry->openings == 0 || (is_lost && entry->openings < most_openings);
    if (must_open && !entry->is_opening) {
        entry->is_opening = true;
        ++entry->openings;
        ++openings_;
        asio::co_spawn(executor_, open(entry), [this, entry](std::exception_ptr error) {
            if (error) {
                entry->result =
                    failed(make_failure(FailureKind::internal_error, entry->chain.back().hop,
                                        "an exception while opening a jump host"));
            }
            entry->is_opening = false;
            for (const auto& waiter : std::exchange(entry->waiters, {})) waiter->notify();
            if (--openings_ == 0) all_joined_.notify();
        });
    }
    const HopRef& hop = chain.back().hop;
    std::optional<Failure> failure = co_await wait_until_open(*entry, visitor, hop);
    for (const Remark& remark : entry->remarks) add_remark(visitor.remarks, remark);
    if (!failure && !entry->result) failure = entry->result.error();
    if (!failure && entry->result->hop->is_lost()) failure = entry->result->hop->lost_failure();
    if (!failure) co_return *entry->result;
    // The last sshd may be the target itself, which each visit calls by a name of its own.
    if (failure->hop.index == entry->chain.back().hop.index) failure->hop = hop;
    co_return failed(std::move(*failure));
}

asio::awaitable<std::optional<Failure>> HopPool::wait_until_open(Entry& entry,
                                                                 const Visitor& visitor,
                                                                 const HopRef& hop) {
    if (!entry.is_opening) co_return std::nullopt;
    const auto waiter = std::make_shared<Signal>(executor_);
    entry.waiters.push_back(waiter);
    const std::stop_callback on_cancel(visitor.cancel, [waiter] { waiter->cancel(); });
    const Wake wake = co_await waiter->wait(Deadline::max());
    std::erase(entry.waiters, waiter);
    if (wake == Wake::cancelled) {
        co_return make_failure(FailureKind::run_interrupted, hop, "interrupted");
    }
    co_return std::nullopt;
}

asio::awaitable<void> HopPool::open(std::shared_ptr<Entry> entry) {
    Result<Entered> result = failed(Failure());
    try {
        result = co_await try_open(*entry);
    } catch (const std::exception& error) {
        result = failed(make_failure(FailureKind::internal_error, entry->chain.back().hop,
                                     quote_line(error.what())));
    }
    entry->result = std::move(result);
}

asio::awaitable<Result<HopPool::Entered>> HopPool::try_open(Entry& entry) {
    const std::span<const Step> chain(entry.chain);
    const Visitor visitor{entry.budgets, entry.cancel, *entry.ledger, entry.remarks};
    Entered entered;
    std::shared_ptr<SharedHop> through;
    if (chain.size() > 1) {
        const std::span<const Step> before = chain.first(chain.size() - 1);
        Result<Entered> previous = co_await enter(before, visitor);
        if (!previous) co_return failed(std::move(previous.error()));
        through = previous->hop;
    }
    StageClock clock;
    const Step& last = chain.back();
    const LeggedLogin leg{*last.login,      last.hop,      last.hop.index == 0, through,
                          sshd_name(chain), entry.budgets, entry.cancel,        clock,
                          *entry.ledger,    entry.remarks};
    Result<LoggedIn> logged_in = co_await log_in_to(leg, tools_);
    if (!logged_in) co_return failed(std::move(logged_in.error()));
    entered.peer_address = std::move(logged_in->peer_address);
    entered.hop = std::make_shared<SharedHop>(executor_, std::move(logged_in->session), last.hop,
                                              entry.cancel);
    entered.hop->start();
    opened_.push_back(entered.hop);
    co_return entered;
}

asio::awaitable<void> HopPool::close() {
    while (openings_ > 0) co_await all_joined_.wait(Deadline::max());
    entries_.clear();
    // What goes through another session is ended before it.
    while (!opened_.empty()) {
        co_await opened_.back()->close();
        opened_.pop_back();
    }
}

}  // namespace gpumuster
