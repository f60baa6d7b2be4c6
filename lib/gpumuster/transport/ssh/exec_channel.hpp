#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include <libssh/callbacks.h>
#include <asio/awaitable.hpp>

#include "gpumuster/base/command.hpp"
#include "gpumuster/base/result.hpp"
#include "gpumuster/transport/ssh/session_driver.hpp"

namespace gpumuster {

// One session channel for one command. Both streams are always drained, so that neither can stall
// the other, and bounded, since libssh does not enforce its window.
class ExecChannel {
public:
    // The driver outlives the channel.
    ExecChannel(SessionDriver& driver, HopRef hop, std::size_t output_cap_bytes);
    ~ExecChannel();
    ExecChannel(const ExecChannel&) = delete;
    ExecChannel& operator=(const ExecChannel&) = delete;

    // Opens the channel and starts the command. Empty: the host accepted it.
    asio::awaitable<std::optional<Failure>> start(const std::string& command, Deadline deadline);

    // Ends on the exit status and a short drain, not on the end of the stream, which a background
    // child can keep away for ever.
    asio::awaitable<CommandOutput> finish(Deadline deadline);

private:
    static int on_data(ssh_session, ssh_channel, void* data, std::uint32_t length, int is_stderr,
                       void* self);
    static void on_eof(ssh_session, ssh_channel, void* self);
    static void on_close(ssh_session, ssh_channel, void* self);
    static void on_status(ssh_session, ssh_channel, int status, void* self);
    static void on_signal(ssh_session, ssh_channel, const char* signal, int core,
                          const char* message, const char* language, void* self);

    int open_step();
    int read_step(bool until_drained);
    std::optional<Failure> trouble(const StepEnd& end, FailureKind refused, const char* what) const;
    void take(const char* bytes, std::size_t length, bool is_stderr);
    bool process_arrived();
    bool has_ended() const { return has_status_ || has_signal_; }
    bool is_drained() const { return is_closed_ || (has_ended() && is_eof_); }

    SessionDriver& driver_;
    SshSession& session_;
    const HopRef hop_;
    const std::size_t output_cap_bytes_;
    ssh_channel channel_ = nullptr;
    bool is_opening_ = false;
    ssh_channel_callbacks_struct callbacks_{};
    CommandOutput output_;
    bool has_status_ = false;
    bool has_signal_ = false;
    bool is_eof_ = false;
    bool is_closed_ = false;
    bool is_capped_ = false;
};

}  // namespace gpumuster
