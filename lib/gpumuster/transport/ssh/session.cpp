#include "gpumuster/transport/ssh/session.hpp"

#include <algorithm>
#include <functional>
#include <stdexcept>
#include <utility>

#include "gpumuster/base/safe_text.hpp"

namespace gpumuster {
namespace {

// group18 is left out: libssh prefers it to cheaper groups, and it costs 167 ms of CPU a host.
constexpr const char* key_exchanges =
    "curve25519-sha256,curve25519-sha256@libssh.org,ecdh-sha2-nistp256,ecdh-sha2-nistp384,"
    "ecdh-sha2-nistp521,diffie-hellman-group-exchange-sha256,diffie-hellman-group14-sha256,"
    "diffie-hellman-group16-sha512";
constexpr const char* ciphers =
    "aes256-gcm@openssh.com,aes128-gcm@openssh.com,chacha20-poly1305@openssh.com,aes256-ctr,"
    "aes192-ctr,aes128-ctr";

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
void configure(ssh_session session, const std::string& host_key_algorithms) {
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
    set(session, SSH_OPTIONS_KEY_EXCHANGE, key_exchanges);
    set(session, SSH_OPTIONS_CIPHERS_C_S, ciphers);
    set(session, SSH_OPTIONS_CIPHERS_S_C, ciphers);
    set(session, SSH_OPTIONS_HOSTKEYS, host_key_algorithms.c_str());
}

}  // namespace

SshSession::SshSession(const asio::any_io_executor& executor, UniqueFd socket,
                       const std::string& host_key_algorithms, std::stop_token cancel)
    : wire_(executor, std::move(socket)), pause_(executor) {
    not_yet_taken_ = wire_.duplicate();
    if (!not_yet_taken_.is_open()) throw std::runtime_error("no file descriptor is left");
    session_ = ::ssh_new();
    if (session_ == nullptr) throw std::runtime_error("no memory is left for a session");
    try {
        configure(session_, host_key_algorithms);
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

int SshSession::connect_step() {
    not_yet_taken_.release();
    const int code = ::ssh_connect(session_);
    set_nonblocking(wire_.fd());
    return code;
}

asio::awaitable<Wake> SshSession::wait(Deadline deadline) {
    const bool has_more_to_send = (::ssh_get_poll_flags(session_) & SSH_WRITE_PENDING) != 0;
    const Want want = has_more_to_send ? Want::either : Want::readable;
    acknowledge_quickly(wire_.fd());
    co_return co_await wire_.wait(want, deadline);
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
