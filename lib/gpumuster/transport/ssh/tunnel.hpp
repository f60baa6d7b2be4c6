#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include <libssh/callbacks.h>

#include "gpumuster/transport/loop/wire.hpp"

namespace gpumuster {

// A direct-tcpip channel of a jump host and the local socket whose other end a session works on;
// moves bytes between the two. What the socket does not take stays in libssh, so that the channel's
// window holds the sender back. All of it, the destructor too, is called by the driver of the
// channel's session only.
class Tunnel {
public:
    // Takes the open channel and its end of the socket pair. `call_me` asks the driver for move().
    Tunnel(const asio::any_io_executor& executor, ssh_channel channel, UniqueFd local_end,
           std::function<void()> call_me);
    ~Tunnel();
    Tunnel(const Tunnel&) = delete;
    Tunnel& operator=(const Tunnel&) = delete;

    // Moves what can be moved now.
    void move();

    // One of the sides has gone, and nothing is left to move to the other.
    bool is_over() const { return is_over_; }

private:
    static int on_data(ssh_session, ssh_channel, void*, std::uint32_t, int, void* self);
    static void on_change(ssh_session, ssh_channel, void* self);
    static int on_window(ssh_session, ssh_channel, std::uint32_t, void* self);

    void move_inward();
    void move_outward();
    bool send_to_socket();
    void watch_socket();

    ssh_channel channel_;
    Wire socket_;
    const std::function<void()> call_me_;
    ssh_channel_callbacks_struct callbacks_{};
    std::string to_socket_;   // taken from the channel, not yet taken by the socket
    std::string to_channel_;  // the other way round
    bool has_input_ended_ = false;
    bool has_told_end_ = false;
    bool is_over_ = false;
};

}  // namespace gpumuster
