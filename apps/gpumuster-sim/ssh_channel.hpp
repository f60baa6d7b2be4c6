#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include "gpumuster-sim/answer.hpp"

struct ssh_channel_struct;

namespace gpumuster::sim {

// One session channel and what is still to be sent on it. Its session outlives it.
class SshChannel {
public:
    enum class State {
        idle,      // no command yet, or nothing more to send while the client stays
        writing,   // bytes or the ending are still to be sent
        cut,       // all bytes are sent, and now the connection is to end
        finished,  // closed; forget it
    };

    explicit SshChannel(ssh_channel_struct* channel) : channel_{channel} {}

    bool is(const ssh_channel_struct* channel) const { return channel_ == channel; }
    State state() const { return state_; }

    // What libssh's callbacks report; they only leave a note, because they may be called from
    // inside a write.
    void note_command(std::string command) { command_ = std::move(command); }
    void note_close() { is_closed_by_client_ = true; }

    std::optional<std::string> take_command() { return std::exchange(command_, std::nullopt); }
    bool is_closed_by_client() const { return is_closed_by_client_; }

    void start(Answer answer);

    // Sends one more piece or the ending. False when it could not: the window is used up.
    bool send_some();

    void close();

private:
    bool send_piece(const std::string& bytes, std::size_t& sent, int is_stderr);
    void send_ending();

    ssh_channel_struct* channel_;
    State state_ = State::idle;
    std::optional<std::string> command_;
    bool is_closed_by_client_ = false;
    Answer answer_;
    std::size_t out_sent_ = 0;
    std::size_t err_sent_ = 0;
};

}  // namespace gpumuster::sim
