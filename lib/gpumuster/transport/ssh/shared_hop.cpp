#include "gpumuster/transport/ssh/shared_hop.hpp"

#include <fcntl.h>
#include <sys/socket.h>

#include <array>
#include <exception>
#include <utility>

#include <fmt/format.h>
#include <asio/co_spawn.hpp>
#include <asio/post.hpp>
#include <asio/use_awaitable.hpp>

#include "gpumuster/transport/ssh/open_failure.hpp"

namespace gpumuster {
namespace {

// Half-open channels are asked for again and again; a bastion also resolves and connects only so
// many at a time.
constexpr std::size_t most_openings = 32;
constexpr std::size_t most_commands = 4;
// After so many rounds in a row the rest of the loop has its turn.
constexpr int rounds_at_a_time = 16;

}  // namespace

struct SharedHop::Job {
    Job(const asio::any_io_executor& executor, Step what, int again_code)
        : step(std::move(what)), again(again_code), signal(executor) {}

    void finish(int result) {
        code = result;
        is_done = true;
        signal.notify();
    }

    Step step;
    const int again;
    Signal signal;
    int code = SSH_ERROR;
    bool is_done = false;  // also: the submitter has gone
};

SharedHop::SharedHop(const asio::any_io_executor& executor, std::unique_ptr<SshSession> session,
                     HopRef hop, std::stop_token cancel)
    : executor_(executor),
      hop_(std::move(hop)),
      session_(std::move(session)),
      wake_(std::make_shared<Signal>(executor)),
      ended_(executor),
      openings_(most_openings),
      commands_(most_commands),
      on_cancel_(std::move(cancel), [this] {
          for (const auto& job : jobs_) job->signal.cancel();
          wake_->notify();
      }) {
    event_ = ::ssh_event_new();
    if (event_ == nullptr || ::ssh_event_add_session(event_, session_->get()) != SSH_OK) {
        if (event_ != nullptr) ::ssh_event_free(event_);
        throw std::runtime_error("no memory is left for a shared session");
    }
}

SharedHop::~SharedHop() {
    ready_.clear();
    lines_.clear();
    ::ssh_event_remove_session(event_, session_->get());
    ::ssh_event_free(event_);
}

void SharedHop::start() {
    asio::co_spawn(executor_, run(), [self = shared_from_this()](std::exception_ptr error) {
        if (error) self->is_lost_ = true;
        self->end_everything();
        self->ended_.notify();
    });
}

asio::awaitable<void> SharedHop::close() {
    is_closing_ = true;
    wake_->notify();
    co_await ended_.wait(Deadline::max());
}

Failure SharedHop::lost_failure() const {
    return make_failure(FailureKind::hop_lost, hop_,
                        lost_text_.empty() ? "the shared connection to it broke"
                                           : "the shared connection to it broke: " + lost_text_);
}

asio::awaitable<void> SharedHop::run() {
    int rounds = 0;
    while (!is_closing_ && !is_lost_) {
        if (do_round()) {
            if (++rounds % rounds_at_a_time == 0) {
                co_await asio::post(executor_, asio::use_awaitable);
            }
            continue;
        }
        watch_session();
        co_await wake_->wait(Deadline::max());
    }
}

// Does everything that can be done now; true when something was, since that may have made more
// possible: a call for one channel also takes in what has arrived for the others.
bool SharedHop::do_round() {
    bool has_progress = handle_packets();
    if (is_lost_) return true;
    has_progress |= step_jobs();
    has_progress |= close_orphans();
    has_progress |= move_tunnels();
    return has_progress;
}

bool SharedHop::handle_packets() {
    const int code = ::ssh_event_dopoll(event_, 0);
    if (code == SSH_ERROR || ::ssh_is_connected(session_->get()) == 0) {
        is_lost_ = true;
        lost_text_ = session_->error_text();
    }
    return code == SSH_OK;
}

bool SharedHop::step_jobs() {
    bool has_progress = false;
    const std::vector<std::shared_ptr<Job>> jobs = jobs_;
    for (const std::shared_ptr<Job>& job : jobs) {
        if (job->is_done) continue;
        const int code = job->step();
        if (code == job->again) continue;
        job->finish(code);
        has_progress = true;
    }
    return has_progress;
}

bool SharedHop::close_orphans() {
    const std::size_t before = orphans_.size();
    std::erase_if(orphans_, [](const Orphan& orphan) {
        if (orphan.open() == SSH_AGAIN) return false;
        ::ssh_channel_free(orphan.channel);
        return true;
    });
    return orphans_.size() != before;
}

bool SharedHop::move_tunnels() {
    if (ready_.empty()) return false;
    const std::vector<std::shared_ptr<Line>> ready = std::exchange(ready_, {});
    for (const std::shared_ptr<Line>& line : ready) {
        line->is_ready = false;
        line->tunnel->move();
        if (line->tunnel->is_over()) {
            lines_.remove(line);
            line->tunnel.reset();
        }
    }
    std::erase_if(ready_, [](const std::shared_ptr<Line>& line) { return !line->tunnel; });
    return true;
}

void SharedHop::watch_session() {
    const auto wake = [signal = wake_] { signal->notify(); };
    acknowledge_quickly(session_->fd());
    session_->call_when(Want::readable, wake);
    if ((::ssh_get_poll_flags(session_->get()) & SSH_WRITE_PENDING) != 0) {
        session_->call_when(Want::writable, wake);
    }
}

// The sessions in the tunnels see the end of their streams, the submitters an error.
void SharedHop::end_everything() {
    ready_.clear();
    lines_.clear();
    for (const std::shared_ptr<Job>& job : jobs_) {
        if (!job->is_done) job->finish(SSH_ERROR);
    }
}

asio::awaitable<StepEnd> SharedHop::drive(Step step, int again, Deadline deadline) {
    StepEnd end;
    if (is_lost_) co_return end;
    const auto job = std::make_shared<Job>(executor_, std::move(step), again);
    jobs_.push_back(job);
    wake_->notify();
    end.wake = co_await job->signal.wait(deadline);
    job->is_done = true;
    std::erase(jobs_, job);
    end.code = job->code;
    co_return end;
}

void SharedHop::adopt_opening(ssh_channel channel, Step open) {
    if (is_lost_) return;  // freed with the session
    orphans_.push_back(Orphan{channel, std::move(open)});
    wake_->notify();
}

asio::awaitable<Result<UniqueFd>> SharedHop::tunnel(std::string address, std::uint16_t port,
                                                    HopRef target, std::chrono::milliseconds budget,
                                                    std::stop_token cancel) {
    const Slots::Slot slot = co_await openings_.enter(std::move(cancel));
    if (!slot.is_held()) {
        co_return failed(make_failure(FailureKind::run_interrupted, target, "interrupted"));
    }
    if (is_lost_) co_return failed(lost_failure());
    const ssh_channel channel = ::ssh_channel_new(session_->get());
    if (channel == nullptr) {
        co_return failed(make_failure(FailureKind::hop_no_channel, hop_, session_->error_text()));
    }
    std::string refusal;
    const Step open = [channel, address, port] {
        return ::ssh_channel_open_forward(channel, address.c_str(), port, "127.0.0.1", 0);
    };
    Step open_and_listen = [&] {
        const int code = open();
        if (code == SSH_ERROR) refusal = session_->error_text();
        return code;
    };
    const Deadline deadline = std::chrono::steady_clock::now() + budget;
    const StepEnd end = co_await drive(std::move(open_and_listen), SSH_AGAIN, deadline);
    if (is_lost_) co_return failed(lost_failure());
    if (end.wake != Wake::ready) {
        adopt_opening(channel, open);
        if (end.wake == Wake::cancelled) {
            co_return failed(make_failure(FailureKind::run_interrupted, target, "interrupted"));
        }
        co_return failed(unanswered_opening(hop_, target, address, port, budget));
    }
    if (end.code != SSH_OK) {
        ::ssh_channel_free(channel);
        has_called();
        co_return failed(refused_opening(refusal, hop_, target, address, port));
    }
    UniqueFd socket = add_tunnel(channel);
    if (!socket.is_open()) {
        co_return failed(make_failure(FailureKind::connect_failed, target,
                                      "this machine has no file descriptor left: use a smaller "
                                      "--parallel"));
    }
    co_return socket;
}

UniqueFd SharedHop::add_tunnel(ssh_channel channel) {
    std::array<int, 2> pair{};
    if (::socketpair(AF_UNIX, SOCK_STREAM, 0, pair.data()) != 0) {
        ::ssh_channel_free(channel);
        has_called();
        return UniqueFd();
    }
    for (const int end : pair) ::fcntl(end, F_SETFD, FD_CLOEXEC);
    const auto line = std::make_shared<Line>();
    const std::weak_ptr<SharedHop> hop = weak_from_this();
    const std::weak_ptr<Line> self = line;
    auto call_me = [hop, self] {
        const auto owner = hop.lock();
        const auto ready = self.lock();
        if (!owner || !ready || ready->is_ready || owner->is_lost_) return;
        ready->is_ready = true;
        owner->ready_.push_back(ready);
        owner->wake_->notify();
    };
    line->tunnel =
        std::make_unique<Tunnel>(executor_, channel, UniqueFd(pair[0]), std::move(call_me));
    lines_.push_back(line);
    // What the target said may have come with the confirmation of the channel.
    line->is_ready = true;
    ready_.push_back(line);
    wake_->notify();
    return UniqueFd(pair[1]);
}

}  // namespace gpumuster
