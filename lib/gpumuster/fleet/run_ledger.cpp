#include "gpumuster/fleet/run_ledger.hpp"

#include <algorithm>

#include <asio/post.hpp>
#include <asio/this_coro.hpp>

#include "gpumuster/transport/loop/pause.hpp"
#include "gpumuster/transport/loop/signal.hpp"

namespace gpumuster {
namespace {

constexpr std::size_t most_places = 8;
// One place more than sshd takes costs a drop, so it is tried seldom.
constexpr std::size_t clean_logins_for_one_more = 8;
// After a drop, sshd is given this long between one login and the next; it forgets a connection
// some time after that has logged in.
constexpr int longest_spacing = 8;  // times the first
constexpr std::size_t refusals_until_not_offered = 20;

}  // namespace

// One sshd's places. A waiter's signal belongs to the waiter's loop, so it is notified there.
struct RunLedger::Gate : std::enable_shared_from_this<Gate> {
    struct Waiter {
        explicit Waiter(const asio::any_io_executor& loop) : executor(loop), signal(loop) {}
        asio::any_io_executor executor;
        Signal signal;  // that loop's only
        bool has_place = false;
    };

    asio::awaitable<std::unique_ptr<Place>> wait_for_place(std::stop_token cancel);

    explicit Gate(std::chrono::milliseconds spacing_after_a_drop)
        : first_spacing(spacing_after_a_drop) {}

    bool enter_at_once() {
        const std::lock_guard lock(mutex);
        if (taken >= places || !waiters.empty()) return false;
        ++taken;
        return true;
    }

    void queue(const std::shared_ptr<Waiter>& waiter) {
        const std::lock_guard lock(mutex);
        waiters.push_back(waiter);
        admit();
    }

    // True when the waiter had got a place in the meantime, which is the caller's then.
    bool leave_queue(const std::shared_ptr<Waiter>& waiter) {
        const std::lock_guard lock(mutex);
        std::erase(waiters, waiter);
        return waiter->has_place;
    }

    void give_back(bool was_dropped) {
        const std::lock_guard lock(mutex);
        --taken;
        if (was_dropped) {
            places = std::max<std::size_t>(1, places / 2);
            spacing = std::clamp(spacing * 2, first_spacing, first_spacing * longest_spacing);
            clean_logins = 0;
        } else if (++clean_logins >= clean_logins_for_one_more) {
            places = std::min(most_places, places + 1);
            spacing = spacing > first_spacing ? spacing / 2 : std::chrono::milliseconds(0);
            clean_logins = 0;
        }
        not_before = std::chrono::steady_clock::now() + spacing;
        admit();
    }

    // When one that was let in may begin.
    Deadline start() {
        const std::lock_guard lock(mutex);
        return not_before;
    }

    void admit() {
        while (taken < places && !waiters.empty()) {
            const std::shared_ptr<Waiter> waiter = waiters.front();
            waiters.pop_front();
            ++taken;
            waiter->has_place = true;
            asio::post(waiter->executor, [waiter] { waiter->signal.notify(); });
        }
    }

    std::mutex mutex;
    std::size_t places = most_places;
    std::size_t taken = 0;
    std::size_t clean_logins = 0;
    const std::chrono::milliseconds first_spacing;
    std::chrono::milliseconds spacing{0};
    Deadline not_before = Deadline::min();
    std::deque<std::shared_ptr<Waiter>> waiters;
};

class RunLedger::GatePlace : public LoginLedger::Place {
public:
    explicit GatePlace(std::shared_ptr<Gate> gate) : gate_(std::move(gate)) {}
    ~GatePlace() override { gate_->give_back(was_dropped_); }
    GatePlace(const GatePlace&) = delete;
    GatePlace& operator=(const GatePlace&) = delete;
    void dropped() override { was_dropped_ = true; }

private:
    std::shared_ptr<Gate> gate_;
    bool was_dropped_ = false;
};

// Empty when cancelled.
asio::awaitable<std::unique_ptr<LoginLedger::Place>> RunLedger::Gate::wait_for_place(
    std::stop_token cancel) {
    const asio::any_io_executor executor = co_await asio::this_coro::executor;
    const auto waiter = std::make_shared<Waiter>(executor);
    const std::stop_callback on_cancel(std::move(cancel), [waiter] { waiter->signal.cancel(); });
    queue(waiter);
    const Wake wake = co_await waiter->signal.wait(Deadline::max());
    const bool has_place = leave_queue(waiter);
    std::unique_ptr<Place> place;
    if (has_place) place = std::make_unique<GatePlace>(shared_from_this());
    if (wake == Wake::cancelled) place.reset();
    co_return place;
}

RunLedger::RunLedger(std::chrono::milliseconds first_spacing) : first_spacing_(first_spacing) {}
RunLedger::~RunLedger() = default;

asio::awaitable<std::unique_ptr<LoginLedger::Place>> RunLedger::enter(std::string sshd,
                                                                      std::stop_token cancel) {
    std::shared_ptr<Gate> gate;
    {
        const std::lock_guard lock(mutex_);
        std::shared_ptr<Gate>& slot = gates_[sshd];
        if (!slot) slot = std::make_shared<Gate>(first_spacing_);
        gate = slot;
    }
    std::unique_ptr<Place> place;
    if (gate->enter_at_once()) {
        place = std::make_unique<GatePlace>(gate);
    } else {
        place = co_await gate->wait_for_place(cancel);
    }
    const Deadline start = gate->start();
    if (place && start > std::chrono::steady_clock::now()) {
        const Wake wake = co_await pause_until(start, cancel);
        if (wake == Wake::cancelled) place.reset();
    }
    co_return place;
}

bool RunLedger::may_offer(const std::string& user, const std::string& key) {
    const std::lock_guard lock(mutex_);
    const Tally& tally = tallies_[{user, key}];
    return tally.was_accepted || tally.refusals < refusals_until_not_offered;
}

void RunLedger::refused(const std::string& user, const std::string& key) {
    const std::lock_guard lock(mutex_);
    ++tallies_[{user, key}].refusals;
}

void RunLedger::accepted(const std::string& user, const std::string& key) {
    const std::lock_guard lock(mutex_);
    tallies_[{user, key}].was_accepted = true;
}

}  // namespace gpumuster
