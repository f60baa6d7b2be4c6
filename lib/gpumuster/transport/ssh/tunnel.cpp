#include "gpumuster/transport/ssh/tunnel.hpp"

#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <utility>

namespace gpumuster {
namespace {

// Larger writes can block in libssh.
constexpr std::size_t largest_write = 32 * 1024;

#ifdef MSG_NOSIGNAL
constexpr int no_signal = MSG_NOSIGNAL;
#else
constexpr int no_signal = 0;
#endif

bool would_block() {
    return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
}

}  // namespace

Tunnel::Tunnel(const asio::any_io_executor& executor, ssh_channel channel, UniqueFd local_end,
               std::function<void()> call_me)
    : channel_(channel), socket_(executor, std::move(local_end)), call_me_(std::move(call_me)) {
    ssh_callbacks_init(&callbacks_);
    callbacks_.userdata = this;
    callbacks_.channel_data_function = on_data;
    callbacks_.channel_eof_function = on_change;
    callbacks_.channel_close_function = on_change;
    callbacks_.channel_write_wontblock_function = on_window;
    ::ssh_set_channel_callbacks(channel_, &callbacks_);
}

Tunnel::~Tunnel() {
    ::ssh_remove_channel_callbacks(channel_, &callbacks_);
    ::ssh_channel_free(channel_);
}

// Takes nothing: move() reads as much as the socket has room for.
int Tunnel::on_data(ssh_session, ssh_channel, void*, std::uint32_t, int, void* self) {
    static_cast<Tunnel*>(self)->call_me_();
    return 0;
}

void Tunnel::on_change(ssh_session, ssh_channel, void* self) {
    static_cast<Tunnel*>(self)->call_me_();
}

int Tunnel::on_window(ssh_session, ssh_channel, std::uint32_t, void* self) {
    auto* tunnel = static_cast<Tunnel*>(self);
    if (!tunnel->to_channel_.empty()) tunnel->call_me_();
    return 0;
}

void Tunnel::move() {
    if (is_over_) return;
    move_inward();
    move_outward();
    if (!is_over_) watch_socket();
}

// Puts to_socket_ into the socket; false when some of it is left or the socket has gone.
bool Tunnel::send_to_socket() {
    while (!to_socket_.empty()) {
        const ssize_t sent =
            ::send(socket_.fd(), to_socket_.data(), to_socket_.size(), no_signal | MSG_DONTWAIT);
        if (sent < 0) {
            if (!would_block()) is_over_ = true;
            return false;
        }
        to_socket_.erase(0, static_cast<std::size_t>(sent));
    }
    return true;
}

void Tunnel::move_inward() {
    std::array<char, largest_write> bytes;
    while (send_to_socket()) {
        const int count = ::ssh_channel_read_nonblocking(
            channel_, bytes.data(), static_cast<std::uint32_t>(bytes.size()), 0);
        if (count > 0) {
            to_socket_.assign(bytes.data(), static_cast<std::size_t>(count));
            continue;
        }
        const bool is_closed = ::ssh_channel_is_open(channel_) == 0;
        if (is_closed || (count == SSH_ERROR)) {
            is_over_ = true;
        } else if (::ssh_channel_is_eof(channel_) != 0 && !has_told_end_) {
            has_told_end_ = true;
            ::shutdown(socket_.fd(), SHUT_WR);
        }
        return;
    }
}

void Tunnel::move_outward() {
    std::array<char, largest_write> bytes;
    while (!is_over_) {
        if (to_channel_.empty() && !has_input_ended_) {
            const ssize_t count = ::recv(socket_.fd(), bytes.data(), bytes.size(), MSG_DONTWAIT);
            if (count < 0 && would_block()) return;
            has_input_ended_ = count <= 0;
            if (count > 0) to_channel_.assign(bytes.data(), static_cast<std::size_t>(count));
        }
        if (to_channel_.empty()) {
            // The session on the other end has gone, and with it every use of this channel.
            is_over_ = true;
            return;
        }
        const int written = ::ssh_channel_write(channel_, to_channel_.data(),
                                                static_cast<std::uint32_t>(to_channel_.size()));
        if (written < 0) {
            is_over_ = true;
            return;
        }
        to_channel_.erase(0, static_cast<std::size_t>(written));
        if (!to_channel_.empty()) return;  // on_window() calls again
    }
}

void Tunnel::watch_socket() {
    if (to_channel_.empty() && !has_input_ended_) socket_.call_when(Want::readable, call_me_);
    if (!to_socket_.empty()) socket_.call_when(Want::writable, call_me_);
}

}  // namespace gpumuster
