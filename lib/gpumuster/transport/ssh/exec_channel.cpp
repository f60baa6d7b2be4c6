#include "gpumuster/transport/ssh/exec_channel.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "gpumuster/base/safe_text.hpp"
#include "gpumuster/base/units.hpp"

namespace gpumuster {
namespace {

// sshd reports the exit before it has read the last of the pipes; what follows comes at once,
// unless a child in the background holds them open.
constexpr std::chrono::milliseconds drain_time{500};

}  // namespace

ExecChannel::ExecChannel(SessionDriver& driver, HopRef hop, std::size_t output_cap_bytes)
    : driver_(driver),
      session_(driver.session()),
      hop_(std::move(hop)),
      output_cap_bytes_(output_cap_bytes) {
    ssh_callbacks_init(&callbacks_);
    callbacks_.userdata = this;
    callbacks_.channel_data_function = on_data;
    callbacks_.channel_eof_function = on_eof;
    callbacks_.channel_close_function = on_close;
    callbacks_.channel_exit_status_function = on_status;
    callbacks_.channel_exit_signal_function = on_signal;
}

ExecChannel::~ExecChannel() {
    if (channel_ == nullptr) return;
    ::ssh_remove_channel_callbacks(channel_, &callbacks_);
    // A channel whose open was not answered must not be freed alone: libssh would forget it and
    // leak it on the server.
    if (is_opening_) {
        driver_.adopt_opening(channel_,
                              [channel = channel_] { return ::ssh_channel_open_session(channel); });
    } else {
        ::ssh_channel_free(channel_);
        driver_.has_called();
    }
}

int ExecChannel::on_data(ssh_session, ssh_channel, void* data, std::uint32_t length, int is_stderr,
                         void* self) {
    static_cast<ExecChannel*>(self)->take(static_cast<const char*>(data), length, is_stderr != 0);
    return static_cast<int>(length);
}

void ExecChannel::on_eof(ssh_session, ssh_channel, void* self) {
    static_cast<ExecChannel*>(self)->is_eof_ = true;
}

void ExecChannel::on_close(ssh_session, ssh_channel, void* self) {
    static_cast<ExecChannel*>(self)->is_closed_ = true;
}

void ExecChannel::on_status(ssh_session, ssh_channel, int status, void* self) {
    auto* channel = static_cast<ExecChannel*>(self);
    channel->has_status_ = true;
    channel->output_.code = status;
}

void ExecChannel::on_signal(ssh_session, ssh_channel, const char* signal, int, const char*,
                            const char*, void* self) {
    auto* channel = static_cast<ExecChannel*>(self);
    channel->has_signal_ = true;
    channel->output_.signal = quote_line(signal != nullptr ? signal : "", 32);
}

void ExecChannel::take(const char* bytes, std::size_t length, bool is_stderr) {
    const std::size_t held = output_.out.size() + output_.err.size();
    const std::size_t room = output_cap_bytes_ - std::min(held, output_cap_bytes_);
    if (length > room) is_capped_ = true;
    (is_stderr ? output_.err : output_.out).append(bytes, std::min(length, room));
}

int ExecChannel::open_step() {
    const int code = ::ssh_channel_open_session(channel_);
    is_opening_ = code == SSH_AGAIN;
    return code;
}

std::optional<Failure> ExecChannel::trouble(const StepEnd& end, FailureKind refused,
                                            const char* what) const {
    if (end.wake == Wake::cancelled) {
        return make_failure(FailureKind::run_interrupted, hop_, "interrupted");
    }
    if (end.wake == Wake::deadline) {
        return make_failure(FailureKind::channel_timeout, hop_,
                            fmt::format("logged in, but the host does not answer {}", what));
    }
    if (end.code == SSH_OK) return std::nullopt;
    const bool is_alive = ::ssh_is_connected(session_.get()) != 0;
    return make_failure(is_alive ? refused : FailureKind::channel_failed, hop_,
                        fmt::format("logged in, but {} failed: {}", what, session_.error_text()));
}

asio::awaitable<std::optional<Failure>> ExecChannel::start(const std::string& command,
                                                           Deadline deadline) {
    channel_ = ::ssh_channel_new(session_.get());
    if (channel_ == nullptr) {
        co_return make_failure(FailureKind::channel_failed, hop_, session_.error_text());
    }
    Step open = [this] { return open_step(); };
    const StepEnd opened = co_await driver_.drive(std::move(open), SSH_AGAIN, deadline);
    if (auto failure = trouble(opened, FailureKind::channel_refused, "opening a session")) {
        co_return failure;
    }
    ::ssh_set_channel_callbacks(channel_, &callbacks_);

    Step exec = [this, &command] { return ::ssh_channel_request_exec(channel_, command.c_str()); };
    const StepEnd accepted = co_await driver_.drive(std::move(exec), SSH_AGAIN, deadline);
    co_return trouble(accepted, FailureKind::channel_exec_refused, "starting a command");
}

// Lets libssh handle what has arrived; false when the session has broken.
bool ExecChannel::process_arrived() {
    // In non-blocking mode both calls return at once. The first stops handling packets once the
    // status is known, the second once the end of the stream is.
    const int code =
        has_ended() ? ::ssh_channel_poll(channel_, 0) : ::ssh_channel_get_exit_status(channel_);
    if (has_ended()) return code != SSH_ERROR;
    return ::ssh_is_connected(session_.get()) != 0;
}

int ExecChannel::read_step(bool until_drained) {
    const bool is_alive = process_arrived();
    const bool is_done = until_drained ? is_drained() : has_ended();
    return is_done || is_closed_ || is_capped_ || !is_alive ? SSH_OK : SSH_AGAIN;
}

asio::awaitable<CommandOutput> ExecChannel::finish(Deadline deadline) {
    const auto started = std::chrono::steady_clock::now();
    Step read = [this] { return read_step(false); };
    const StepEnd end = co_await driver_.drive(std::move(read), SSH_AGAIN, deadline);
    if (has_ended() && !is_drained() && !is_capped_) {
        const Deadline drain_until =
            std::min(deadline, std::chrono::steady_clock::now() + drain_time);
        Step drain = [this] { return read_step(true); };
        co_await driver_.drive(std::move(drain), SSH_AGAIN, drain_until);
    }
    output_.ending = Ending::lost;
    if (end.wake == Wake::deadline) output_.ending = Ending::deadline;
    if (end.wake == Wake::cancelled) output_.ending = Ending::cancelled;
    if (has_signal_) output_.ending = Ending::signalled;
    if (has_status_) output_.ending = Ending::exited;
    if (is_capped_) output_.ending = Ending::capped;
    output_.elapsed = std::chrono::duration_cast<std::chrono::microseconds>(
        std::chrono::steady_clock::now() - started);
    co_return std::move(output_);
}

}  // namespace gpumuster
