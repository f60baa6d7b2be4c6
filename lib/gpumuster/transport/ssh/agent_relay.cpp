#include "gpumuster/transport/ssh/agent_relay.hpp"

#include <fcntl.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

namespace gpumuster {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds request_limit{5'000};
constexpr std::chrono::milliseconds busy_pause{20};

}  // namespace

AgentRelay::AgentRelay(const asio::any_io_executor& executor, SshAgent& agent,
                       const Identity& identity, std::shared_ptr<Signal> wake_up)
    : executor_(executor), agent_(agent), identity_(identity), wake_up_(std::move(wake_up)) {
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) != 0) {
        throw std::runtime_error("no file descriptor is left");
    }
    for (const int end : ends) ::fcntl(end, F_SETFD, FD_CLOEXEC);
    libssh_end_.reset(ends[0]);
    our_end_.emplace(executor_, UniqueFd(ends[1]));
    arm();
}

void AgentRelay::step() {
    if (state_ == State::idle) {
        // At most one request comes at a time, and it is libssh that sends it.
        if (receive_some(our_end_->fd(), from_libssh_) == Io::gone) return;
        std::string request;
        const Framing framing = take_agent_message(from_libssh_, request);
        if (framing == Framing::broken) give_up(AgentTrouble::broken);
        if (framing == Framing::whole) answer(request);
    }
    if (state_ == State::connecting) connect();
    if (state_ == State::talking) talk();
    if (state_ != State::idle && Clock::now() >= answer_by_) {
        agent_.note_silence();
        refuse(AgentTrouble::silent);
    }
    arm();
}

// libssh is to know of one key only: it then offers that and no other, and its answer is about it.
void AgentRelay::answer(const std::string& request) {
    const std::optional<AgentMessage> kind = kind_of(request);
    if (kind == AgentMessage::request_identities) {
        reply(identities_answer({AgentKey{identity_.blob, {}}}));
    } else if (kind == AgentMessage::sign_request) {
        begin(request);
    } else {
        reply(plain_message(AgentMessage::failure));
    }
}

void AgentRelay::begin(const std::string& request) {
    std::optional<SignRequest> wanted = read_sign_request(request);
    if (!wanted || wanted->key != identity_.blob) {
        reply(plain_message(AgentMessage::failure));
        return;
    }
    // An agent knows a certificate that lies in a file by its plain key only.
    wanted->key = identity_.agent_key;
    to_agent_ = frame_agent_message(sign_request(*wanted));
    from_agent_.clear();
    answer_by_ = Clock::now() + request_limit;
    state_ = State::connecting;
}

void AgentRelay::connect() {
    AgentSocket socket = connect_to_agent(agent_.socket());
    if (socket.fd.is_open()) {
        connection_.emplace(executor_, std::move(socket.fd));
        state_ = State::talking;
    } else if (!socket.is_busy) {
        refuse(AgentTrouble::broken);
    }
}

void AgentRelay::talk() {
    const Io sent = send_some(connection_->fd(), to_agent_);
    if (sent == Io::gone) {
        refuse(AgentTrouble::broken);
        return;
    }
    if (sent == Io::would_wait) return;
    while (true) {
        const Io received = receive_some(connection_->fd(), from_agent_);
        std::string message;
        const Framing framing = take_agent_message(from_agent_, message);
        if (framing == Framing::whole) {
            pass_on(message);
            return;
        }
        if (framing == Framing::broken || received == Io::gone) {
            refuse(AgentTrouble::broken);
            return;
        }
        if (received == Io::would_wait) return;
    }
}

void AgentRelay::pass_on(const std::string& message) {
    agent_.note_answer();
    if (is_signature(message)) {
        connection_.reset();
        state_ = State::idle;
        reply(message);
        return;
    }
    const bool has_refused = kind_of(message) == AgentMessage::failure;
    refuse(has_refused ? AgentTrouble::refused : AgentTrouble::broken);
}

void AgentRelay::refuse(AgentTrouble why) {
    trouble_ = why;
    connection_.reset();
    state_ = State::idle;
    reply(plain_message(AgentMessage::failure));
}

// The socket's buffer takes every sensible answer at once; one that does not fit is no signature.
void AgentRelay::reply(const std::string& message) {
    std::string text = frame_agent_message(message);
    if (send_some(our_end_->fd(), text) != Io::done) give_up(AgentTrouble::broken);
}

void AgentRelay::give_up(AgentTrouble why) {
    if (trouble_ == AgentTrouble::none) trouble_ = why;
    connection_.reset();
    state_ = State::idle;
    ::shutdown(our_end_->fd(), SHUT_RDWR);
}

std::optional<Deadline> AgentRelay::next_look() const {
    if (state_ == State::idle) return std::nullopt;
    if (state_ == State::talking) return answer_by_;
    return std::min(answer_by_, Clock::now() + busy_pause);
}

void AgentRelay::arm() {
    const auto notify = [signal = wake_up_] { signal->notify(); };
    if (state_ == State::idle) our_end_->call_when(Want::readable, notify);
    if (state_ != State::talking) return;
    connection_->call_when(Want::readable, notify);
    if (!to_agent_.empty()) connection_->call_when(Want::writable, notify);
}

}  // namespace gpumuster
