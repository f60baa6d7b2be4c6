#include "gpumuster/transport/process/process.hpp"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <functional>
#include <memory>
#include <utility>

#include <asio/posix/stream_descriptor.hpp>
#include <asio/this_coro.hpp>

#include "gpumuster/transport/process/child.hpp"

namespace gpumuster {
namespace {

// Where the system has no exit notice, the end of a child is looked for this often.
constexpr std::chrono::milliseconds look_again{20};
// The pipes can stay open after the exit, held by a child in the background.
constexpr std::chrono::milliseconds drain_time{500};

using Descriptor = asio::posix::stream_descriptor;

// One descriptor whose readiness wakes the shared signal. Handlers keep it alive.
struct Watch : std::enable_shared_from_this<Watch> {
    Watch(const asio::any_io_executor& executor, UniqueFd fd, std::shared_ptr<Signal> wake_up)
        : descriptor(executor, fd.release()), signal(std::move(wake_up)) {}

    void arm() {
        if (is_armed || !descriptor.is_open()) return;
        is_armed = true;
        descriptor.async_wait(Descriptor::wait_read,
                              [self = shared_from_this()](const std::error_code&) {
                                  self->is_armed = false;
                                  self->signal->notify();
                              });
    }
    void close() {
        std::error_code ignored;
        descriptor.close(ignored);
    }

    Descriptor descriptor;
    std::shared_ptr<Signal> signal;
    bool is_armed = false;
};

enum class ReadEnd { nothing_yet, end_of_stream };

ReadEnd read_available(Watch& watch, std::string& into, std::size_t& room, bool& is_capped) {
    std::array<char, 16384> buffer;
    while (watch.descriptor.is_open()) {
        const ssize_t count =
            ::read(watch.descriptor.native_handle(), buffer.data(), buffer.size());
        if (count < 0 && (errno == EAGAIN || errno == EINTR)) return ReadEnd::nothing_yet;
        if (count <= 0) break;
        const auto size = static_cast<std::size_t>(count);
        if (size > room) is_capped = true;
        into.append(buffer.data(), std::min(size, room));
        room -= std::min(size, room);
        if (is_capped) return ReadEnd::nothing_yet;
    }
    watch.close();
    return ReadEnd::end_of_stream;
}

void note_status(CommandOutput& output, int status) {
    if (WIFSIGNALED(status)) {
        output.ending = Ending::signalled;
#ifdef __GLIBC__
        const char* name = ::sigabbrev_np(WTERMSIG(status));
        output.signal = name != nullptr ? name : std::to_string(WTERMSIG(status));
#else
        output.signal = std::to_string(WTERMSIG(status));
#endif
        return;
    }
    output.ending = Ending::exited;
    output.code = WEXITSTATUS(status);
}

// A running child and everything that is waited for.
class Supervision {
public:
    Supervision(const asio::any_io_executor& executor, Child child, const ProcessOrder& order)
        : child_(std::move(child)),
          deadline_(order.deadline),
          on_err_(order.on_err),
          room_(order.output_cap_bytes),
          signal_(std::make_shared<Signal>(executor)),
          out_(std::make_shared<Watch>(executor, std::move(child_.out), signal_)),
          err_(std::make_shared<Watch>(executor, std::move(child_.err), signal_)),
          on_cancel_(order.cancel, [signal = signal_] { signal->cancel(); }) {
        UniqueFd notice = child_.exit_notice();
        if (notice.is_open()) exit_ = std::make_shared<Watch>(executor, std::move(notice), signal_);
    }
    ~Supervision() {
        out_->close();
        err_->close();
        if (exit_) exit_->close();
    }
    Supervision(const Supervision&) = delete;
    Supervision& operator=(const Supervision&) = delete;

    asio::awaitable<CommandOutput> watch() {
        const auto started = std::chrono::steady_clock::now();
        while (!take_what_is_there()) {
            const Wake wake = co_await signal_->wait(next_look());
            if (wake == Wake::ready) continue;
            if (wake == Wake::cancelled) {
                output_.ending = Ending::cancelled;
                break;
            }
            const auto now = std::chrono::steady_clock::now();
            if (drain_until_ && now >= *drain_until_) break;
            if (now < deadline_) continue;
            if (!child_.has_ended()) output_.ending = Ending::deadline;
            break;
        }
        if (is_capped_) output_.ending = Ending::capped;
        if (!child_.has_ended()) co_await end_child();
        output_.elapsed = std::chrono::duration_cast<std::chrono::microseconds>(
            std::chrono::steady_clock::now() - started);
        co_return std::move(output_);
    }

private:
    // Kills the group and gives the child a moment to be gone, so that it can be reaped; one that
    // sits in the driver (state D) cannot be waited for.
    asio::awaitable<void> end_child() {
        child_.kill_group();
        const Deadline give_up = std::chrono::steady_clock::now() + drain_time;
        while (!child_.has_ended() && std::chrono::steady_clock::now() < give_up) {
            if (exit_) exit_->arm();
            const Deadline look = std::min(give_up, std::chrono::steady_clock::now() + look_again);
            if (co_await signal_->wait(look) == Wake::cancelled) break;
        }
    }

    // True when there is nothing left to wait for.
    bool take_what_is_there() {
        const bool out_ended =
            read_available(*out_, output_.out, room_, is_capped_) == ReadEnd::end_of_stream;
        const std::size_t known = output_.err.size();
        const bool err_ended =
            read_available(*err_, output_.err, room_, is_capped_) == ReadEnd::end_of_stream;
        if (on_err_ && output_.err.size() > known) {
            on_err_(std::string_view(output_.err).substr(known), deadline_);
        }
        if (is_capped_) return true;
        if (const std::optional<int> status = child_.status()) {
            note_status(output_, *status);
            if (out_ended && err_ended) return true;
            if (!drain_until_) {
                drain_until_ = std::min(deadline_, std::chrono::steady_clock::now() + drain_time);
            }
        } else if (exit_) {
            exit_->arm();
        }
        out_->arm();
        err_->arm();
        return false;
    }

    Deadline next_look() const {
        if (drain_until_) return *drain_until_;
        if (exit_) return deadline_;
        return std::min(deadline_, std::chrono::steady_clock::now() + look_again);
    }

    Child child_;
    Deadline deadline_;
    const std::function<void(std::string_view, Deadline&)> on_err_;
    std::size_t room_;
    std::shared_ptr<Signal> signal_;
    std::shared_ptr<Watch> out_;
    std::shared_ptr<Watch> err_;
    std::shared_ptr<Watch> exit_;
    std::stop_callback<std::function<void()>> on_cancel_;
    std::optional<Deadline> drain_until_;
    bool is_capped_ = false;
    CommandOutput output_;
};

}  // namespace

asio::awaitable<tl::expected<CommandOutput, int>> run_process(ProcessOrder order) {
    const asio::any_io_executor executor = co_await asio::this_coro::executor;
    std::optional<Child> child = Child::start(order.argv, order.surroundings);
    if (!child) co_return tl::unexpected<int>(errno);
    Supervision supervision(executor, std::move(*child), order);
    co_return co_await supervision.watch();
}

}  // namespace gpumuster
