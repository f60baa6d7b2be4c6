#include "gpumuster/fleet/fleet.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <numeric>
#include <thread>
#include <utility>

#include <asio/co_spawn.hpp>
#include <asio/executor_work_guard.hpp>
#include <asio/io_context.hpp>
#include <asio/post.hpp>
#include <asio/steady_timer.hpp>

#include "gpumuster/fleet/placement.hpp"
#include "gpumuster/fleet/run_ledger.hpp"
#include "gpumuster/fleet/visit.hpp"
#include "gpumuster/transport/loop/loops.hpp"
#include "gpumuster/transport/loop/pause.hpp"

namespace gpumuster {
namespace {

enum class StopReason { none, interrupted, out_of_time };

// Enough to fill two cores with handshakes over 100 ms of latency, at 25 kB a session.
constexpr std::size_t default_parallel = 512;
constexpr std::size_t most_loops = 4;
// A session has two descriptors and behind a hop a third for its tunnel; one that begins has one
// more.
constexpr std::size_t descriptors_per_visit = 4;
constexpr std::size_t reserved_descriptors = 64;

std::size_t affordable_visits() {
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) {
        return default_parallel;
    }
    const auto descriptors = static_cast<std::size_t>(limit.rlim_cur);
    const std::size_t usable = descriptors - std::min(descriptors / 2, reserved_descriptors);
    return std::max<std::size_t>(1, usable / descriptors_per_visit);
}

// One run of inspect(). Workers on the loops take hosts one after the other and post each report
// to the main context, which the calling thread runs; so everything that is not atomic here is
// touched by that thread alone.
class Run {
public:
    Run(std::span<const Target> targets, const FleetOptions& options, Transports transports,
        FleetObserver& observer)
        : targets_(targets),
          options_(options),
          transports_(transports),
          observer_(observer),
          timer_(main_),
          reports_(targets.size()) {}

    FleetReport go(std::stop_token stop) {
        FleetReport report;
        report.started_at = options_.now();
        began_ = std::chrono::steady_clock::now();
        {
            Loops loops(loop_count());
            loops_ = &loops;
            place_targets();
            const std::stop_callback on_stop(std::move(stop), [this] {
                asio::post(main_, [this] { end(StopReason::interrupted); });
            });
            start_workers();
            start_timer();
            const auto guard = asio::make_work_guard(main_);
            while (workers_ > 0) main_.run_one();
            timer_.cancel();
        }
        if (error_) std::rethrow_exception(error_);
        report.elapsed = std::chrono::duration_cast<std::chrono::microseconds>(
            std::chrono::steady_clock::now() - began_);
        report.interrupted = reason_ == StopReason::interrupted;
        report.out_of_time = reason_ == StopReason::out_of_time;
        collect(report);
        return report;
    }

private:
    std::size_t parallel() const {
        const std::size_t wished = options_.parallel == 0 ? default_parallel : options_.parallel;
        return std::min({wished, affordable_visits(), targets_.size()});
    }

    std::size_t loop_count() const {
        const std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
        const std::size_t wished =
            options_.loops == 0 ? std::min(cores, most_loops) : options_.loops;
        return std::max<std::size_t>(1, std::min(wished, parallel()));
    }

    void place_targets() {
        std::vector<std::string> shared;
        for (const Target& target : targets_) {
            shared.push_back(target.settings ? transport_for(*target.settings, transports_)
                                                   .shared_session(target.host, *target.settings)
                                             : std::string());
        }
        placement_ = place(shared, loops_->size());
        next_on_loop_.assign(loops_->size(), 0);
    }

    void start_workers() {
        const std::vector<std::size_t> shares = share_workers(placement_, parallel());
        workers_ = std::accumulate(shares.begin(), shares.end(), std::size_t{0});
        working_ = shares;
        for (std::size_t loop = 0; loop < shares.size(); ++loop) {
            for (std::size_t i = 0; i < shares[loop]; ++i) start_worker(loop);
        }
    }

    void start_worker(std::size_t loop) {
        asio::co_spawn(loops_->context(loop), work(loop), [this](std::exception_ptr error) {
            asio::post(main_, [this, error] { worker_ended(error); });
        });
    }

    void start_timer() {
        if (!options_.timeout) return;
        timer_.expires_after(*options_.timeout);
        timer_.async_wait([this](const std::error_code& error) {
            if (!error) end(StopReason::out_of_time);
        });
    }

    asio::awaitable<void> work(std::size_t loop) {
        const CancelToken cancel = loops_->stop_token(loop);
        while (!is_stopped_) {
            const std::optional<std::size_t> index = next_target(loop);
            if (!index) break;
            const bool has_turn = co_await wait_for_turn(*index, cancel);
            if (!has_turn) break;
            HostReport report =
                co_await visit_host(targets_[*index], options_, transports_, ledger_, cancel);
            asio::post(main_, [this, at = *index, done = std::move(report)]() mutable {
                host_done(at, std::move(done));
            });
        }
        if (--working_[loop] > 0) co_return;
        co_await transports_.ssh.leave_loop();
        co_await transports_.openssh.leave_loop();
        co_await transports_.local.leave_loop();
    }

    // Loop thread only.
    std::optional<std::size_t> next_target(std::size_t loop) {
        const std::vector<std::size_t>& own = placement_.per_loop[loop];
        if (next_on_loop_[loop] < own.size()) return own[next_on_loop_[loop]++];
        const std::size_t next = next_anywhere_++;
        if (next < placement_.anywhere.size()) return placement_.anywhere[next];
        return std::nullopt;
    }

    // Starts are spread evenly over the splay. False when the run was stopped meanwhile.
    asio::awaitable<bool> wait_for_turn(std::size_t index, CancelToken cancel) {
        if (!options_.splay) co_return true;
        const auto offset = *options_.splay * static_cast<long>(index) /
                            static_cast<long>(std::max<std::size_t>(1, targets_.size()));
        const Wake wake = co_await pause_until(began_ + offset, std::move(cancel));
        co_return wake != Wake::cancelled;
    }

    void host_done(std::size_t index, HostReport report) {
        if (report.failure && report.failure->kind == FailureKind::run_interrupted) {
            say_why_it_ended(report, report.failure->stage);
        }
        reports_[index] = std::move(report);
        observer_.host_done(*reports_[index], ++done_, targets_.size());
    }

    void worker_ended(const std::exception_ptr& error) {
        --workers_;
        if (error && !error_) error_ = error;
    }

    void end(StopReason reason) {
        if (reason_ != StopReason::none) return;
        reason_ = reason;
        is_stopped_ = true;
        loops_->request_stop();
    }

    void say_why_it_ended(HostReport& report, Stage stage) const {
        HopRef hop;
        hop.name = report.host.name;
        const bool is_late = reason_ == StopReason::out_of_time;
        Failure failure = make_failure(
            is_late ? FailureKind::run_out_of_time : FailureKind::run_interrupted, std::move(hop),
            stage == Stage::not_started
                ? std::string("not started when the run ")
                      .append(is_late ? "ran out of time" : "was interrupted")
                : std::string("the run ")
                      .append(is_late ? "ran out of time" : "was interrupted")
                      .append(" in the middle of the visit"));
        failure.stage = stage;
        report_failure(report, std::move(failure));
    }

    void collect(FleetReport& report) {
        for (std::size_t i = 0; i < targets_.size(); ++i) {
            if (!reports_[i]) {
                reports_[i] = blank_report(targets_[i], options_);
                reports_[i]->observed_at = options_.now();
                say_why_it_ended(*reports_[i], Stage::not_started);
            }
            report.hosts.push_back(std::move(*reports_[i]));
        }
    }

    const std::span<const Target> targets_;
    const FleetOptions& options_;
    const Transports transports_;
    FleetObserver& observer_;

    asio::io_context main_{1};
    asio::steady_timer timer_;
    Loops* loops_ = nullptr;
    std::vector<std::optional<HostReport>> reports_;
    std::size_t workers_ = 0;
    std::size_t done_ = 0;
    StopReason reason_ = StopReason::none;
    std::exception_ptr error_;

    RunLedger ledger_;
    std::chrono::steady_clock::time_point began_;
    Placement placement_;
    // Of each loop, touched by that loop only once the workers run.
    std::vector<std::size_t> next_on_loop_;
    std::vector<std::size_t> working_;
    std::atomic<std::size_t> next_anywhere_{0};
    std::atomic<bool> is_stopped_{false};
};

}  // namespace

FleetReport inspect(std::span<const Target> targets, const FleetOptions& options,
                    Transports transports, FleetObserver& observer, std::stop_token stop) {
    Run run(targets, options, transports, observer);
    return run.go(std::move(stop));
}

}  // namespace gpumuster
