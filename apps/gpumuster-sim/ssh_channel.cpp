#include "gpumuster-sim/ssh_channel.hpp"

#include <libssh/libssh.h>
#include <libssh/server.h>

#include <algorithm>
#include <utility>

namespace gpumuster::sim {
namespace {

// One packet's worth: more would only wait in libssh's buffer.
constexpr std::size_t piece_bytes = 32'000;

}  // namespace

void SshChannel::start(Answer answer) {
    answer_ = std::move(answer);
    out_sent_ = err_sent_ = 0;
    state_ = State::writing;
}

bool SshChannel::send_some() {
    if (err_sent_ < answer_.err.size()) return send_piece(answer_.err, err_sent_, 1);
    if (out_sent_ < answer_.out.size()) return send_piece(answer_.out, out_sent_, 0);
    send_ending();
    return true;
}

bool SshChannel::send_piece(const std::string& bytes, std::size_t& sent, int is_stderr) {
    const auto size = static_cast<std::uint32_t>(std::min(bytes.size() - sent, piece_bytes));
    const char* piece = bytes.data() + sent;
    const int written = is_stderr != 0 ? ssh_channel_write_stderr(channel_, piece, size)
                                       : ssh_channel_write(channel_, piece, size);
    if (written < 0) {
        // The client has closed the channel.
        state_ = State::idle;
        return true;
    }
    sent += static_cast<std::size_t>(written);
    return written > 0;
}

void SshChannel::send_ending() {
    switch (answer_.end) {
        case AnswerEnd::endless:
            out_sent_ = 0;
            return;
        case AnswerEnd::never:
            state_ = State::idle;
            return;
        case AnswerEnd::connection_cut:
            state_ = State::cut;
            return;
        case AnswerEnd::exited:
            ssh_channel_request_send_exit_status(channel_, answer_.exit_status);
            break;
        case AnswerEnd::signalled:
            ssh_channel_request_send_exit_signal(channel_, answer_.signal.c_str(), 0, "", "");
            break;
        case AnswerEnd::without_status:
            break;
    }
    close();
}

void SshChannel::close() {
    // Sends EOF and close where they were not sent; libssh frees it once the client's close is in.
    ssh_channel_free(channel_);
    channel_ = nullptr;
    state_ = State::finished;
}

}  // namespace gpumuster::sim
