#include "gpumuster/transport/ssh/session.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <functional>
#include <stdexcept>
#include <utility>

#include "gpumuster/base/safe_text.hpp"

namespace gpumuster {
namespace {

#ifdef MSG_NOSIGNAL
constexpr int no_signal = MSG_NOSIGNAL;
#else
constexpr int no_signal = 0;
#endif

void set(ssh_session session, ssh_options_e option, const void* value) {
    if (::ssh_options_set(session, option, value) < 0) {
        throw std::runtime_error(std::string("libssh refuses an option: ") +
                                 ::ssh_get_error(session));
    }
}

// libssh's own reading of known_hosts and ssh_config is off: it accepts revoked keys, reads the
// files again for every session and lets a config file override what was set here. Host and user
// are only labels: the socket is connected, and the user's name goes into the auth requests, since
// libssh refuses names that sshd takes (gpu_node1, DOM\user).
void configure(ssh_session session, const SessionAlgorithms& algorithms) {
    const int off = 0;
    const int on = 1;
    const bool no_config = false;
    ::ssh_set_blocking(session, 0);
    set(session, SSH_OPTIONS_PROCESS_CONFIG, &no_config);
    set(session, SSH_OPTIONS_LOG_VERBOSITY, &off);
    set(session, SSH_OPTIONS_SSH_DIR, "/");
    set(session, SSH_OPTIONS_HOST, "127.0.0.1");
    set(session, SSH_OPTIONS_USER, "user");
    set(session, SSH_OPTIONS_KNOWNHOSTS, "/dev/null");
    set(session, SSH_OPTIONS_GLOBAL_KNOWNHOSTS, "/dev/null");
    set(session, SSH_OPTIONS_NODELAY, &on);
    set(session, SSH_OPTIONS_GSSAPI_AUTH, &off);
    set(session, SSH_OPTIONS_KEY_EXCHANGE, algorithms.key_exchanges.c_str());
    set(session, SSH_OPTIONS_HOSTKEYS, algorithms.host_keys.c_str());
    set(session, SSH_OPTIONS_CIPHERS_C_S, algorithms.ciphers.c_str());
    set(session, SSH_OPTIONS_CIPHERS_S_C, algorithms.ciphers.c_str());
    if (!algorithms.macs.empty()) {
        set(session, SSH_OPTIONS_HMAC_C_S, algorithms.macs.c_str());
        set(session, SSH_OPTIONS_HMAC_S_C, algorithms.macs.c_str());
    }
    if (!algorithms.public_keys.empty()) {
        set(session, SSH_OPTIONS_PUBLICKEY_ACCEPTED_TYPES, algorithms.public_keys.c_str());
    }
}

}  // namespace

SshSession::SshSession(const asio::any_io_executor& executor, UniqueFd socket,
                       SessionAlgorithms algorithms, std::stop_token cancel)
    : wire_(executor, std::move(socket)), pause_(executor), algorithms_(std::move(algorithms)) {
    std::array<int, 2> stand_in{};
    if (::socketpair(AF_UNIX, SOCK_STREAM, 0, stand_in.data()) != 0) {
        throw std::runtime_error("no file descriptor is left");
    }
    not_yet_taken_.reset(stand_in[0]);
    far_end_.reset(stand_in[1]);
    for (const int end : stand_in) {
        ::fcntl(end, F_SETFD, FD_CLOEXEC);
        set_nonblocking(end);
    }
    session_ = ::ssh_new();
    if (session_ == nullptr) throw std::runtime_error("no memory is left for a session");
    try {
        configure(session_, algorithms_);
        const socket_t fd = not_yet_taken_.get();
        set(session_, SSH_OPTIONS_FD, &fd);
    } catch (...) {
        ::ssh_free(session_);
        throw;
    }
    on_cancel_.emplace(std::move(cancel), [this] {
        wire_.cancel();
        pause_.cancel();
    });
}

SshSession::~SshSession() {
    on_cancel_.reset();
    // Without ssh_disconnect: ssh_free closes libssh's descriptor if a reset or the end of the
    // stream has not done so already, whereas after ssh_disconnect it stays open, and its number
    // may be another host's by the time we could close it.
    ::ssh_free(session_);
}

// ssh_connect reads in the same call in which it sends its identification, and loses the text of a
// server that turns the connection away. So it first talks to a stand-in that never answers; then
// the number of its descriptor is made to mean the socket. Waiting for the server's first line
// instead would cost a round trip.
void SshSession::introduce() {
    const int number = not_yet_taken_.release();
    if (::ssh_connect(session_) == SSH_ERROR || ::ssh_get_fd(session_) != number) {
        throw std::runtime_error("libssh cannot begin a session: " + error_text());
    }
    std::array<char, 512> text;
    const ssize_t count = ::recv(far_end_.get(), text.data(), text.size(), MSG_DONTWAIT);
    // A new socket takes a line whole; one that broke is noticed by who waits for the greeting.
    if (count > 0) {
        [[maybe_unused]] const ssize_t sent =
            ::send(wire_.fd(), text.data(), static_cast<std::size_t>(count), no_signal);
    }
#ifdef __linux__
    ::dup3(wire_.fd(), number, O_CLOEXEC);
#else
    ::dup2(wire_.fd(), number);
    ::fcntl(number, F_SETFD, FD_CLOEXEC);
#endif
    far_end_.reset();
}

int SshSession::connect_step() {
    const int code = ::ssh_connect(session_);
    set_nonblocking(wire_.fd());
    return code;
}

OwnAlgorithms SshSession::algorithms() const {
    return OwnAlgorithms{algorithms_.key_exchanges, algorithms_.host_keys, algorithms_.ciphers};
}

asio::awaitable<Wake> SshSession::wait(Deadline deadline) {
    const bool has_more_to_send = (::ssh_get_poll_flags(session_) & SSH_WRITE_PENDING) != 0;
    const Want want = has_more_to_send ? Want::either : Want::readable;
    acknowledge_quickly(wire_.fd());
    co_return co_await wire_.wait(want, deadline);
}

asio::awaitable<Wake> SshSession::wait_for_input(Deadline deadline) {
    acknowledge_quickly(wire_.fd());
    co_return co_await wire_.wait(Want::readable, deadline);
}

asio::awaitable<Wake> SshSession::pause(std::chrono::milliseconds duration, Deadline deadline) {
    const Deadline end = std::chrono::steady_clock::now() + duration;
    const Wake wake = co_await pause_.wait(std::min(end, deadline));
    if (wake == Wake::deadline && end < deadline) co_return Wake::ready;
    co_return wake;
}

std::string SshSession::error_text() const {
    return quote_line(::ssh_get_error(session_));
}

}  // namespace gpumuster
