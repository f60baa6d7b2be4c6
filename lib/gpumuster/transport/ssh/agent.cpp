#include "gpumuster/transport/ssh/agent.hpp"

#include <poll.h>

#include <algorithm>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <libssh/libssh.h>

#include "gpumuster/transport/ssh/agent_socket.hpp"
#include "gpumuster/transport/ssh/identity_blob.hpp"
#include "gpumuster/transport/trust/base64.hpp"

namespace gpumuster {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds busy_pause{20};

bool wait_for(int fd, short events, Clock::time_point deadline) {
    while (true) {
        const auto left =
            std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
        if (left.count() < 0) return false;
        pollfd entry{fd, events, 0};
        const int count = ::poll(&entry, 1, static_cast<int>(left.count()) + 1);
        if (count > 0) return true;
    }
}

AgentSocket connect_by(const std::string& path, Clock::time_point deadline) {
    AgentSocket socket = connect_to_agent(path);
    while (socket.is_busy && Clock::now() < deadline) {
        std::this_thread::sleep_for(busy_pause);
        socket = connect_to_agent(path);
    }
    return socket;
}

// What an agent answered to one request; empty when it did not, and then why.
std::optional<std::string> ask(int fd, std::string_view request, Clock::time_point deadline,
                               std::string& trouble) {
    std::string unsent = frame_agent_message(request);
    std::string received;
    std::string message;
    while (true) {
        const bool is_sending = !unsent.empty();
        const Io io = is_sending ? send_some(fd, unsent) : receive_some(fd, received);
        if (io == Io::gone) {
            trouble = "broke off";
            return std::nullopt;
        }
        const Framing framing = take_agent_message(received, message);
        if (framing == Framing::whole) return message;
        if (framing == Framing::broken) {
            trouble = "answers what is no agent's message";
            return std::nullopt;
        }
        if (io == Io::would_wait && !wait_for(fd, is_sending ? POLLOUT : POLLIN, deadline)) {
            trouble = "did not answer in time";
            return std::nullopt;
        }
    }
}

// As libssh itself will read it.
bool is_usable(const AgentKey& key) {
    const std::optional<BlobFacts> facts = read_blob(key.blob);
    if (!facts) return false;
    ssh_key imported = nullptr;
    const int code = ::ssh_pki_import_pubkey_base64(
        encode_base64(key.blob).c_str(), ::ssh_key_type_from_name(facts->type.c_str()), &imported);
    if (code != SSH_OK) return false;
    ::ssh_key_free(imported);
    return true;
}

}  // namespace

SshAgent::SshAgent(std::string socket, std::chrono::milliseconds patience)
    : socket_(std::move(socket)) {
    list_keys(patience);
}

void SshAgent::list_keys(std::chrono::milliseconds patience) {
    const Clock::time_point deadline = Clock::now() + patience;
    const AgentSocket connection = connect_by(socket_, deadline);
    if (!connection.fd.is_open()) {
        is_absent_ = connection.is_absent;
        trouble_ = fmt::format("the agent at {} cannot be reached: {}", socket_, connection.detail);
        return;
    }
    std::string trouble;
    const std::optional<std::string> answer = ask(
        connection.fd.get(), plain_message(AgentMessage::request_identities), deadline, trouble);
    if (!answer) {
        trouble_ = fmt::format("the agent at {} {}", socket_, trouble);
        return;
    }
    if (kind_of(*answer) == AgentMessage::failure) {
        trouble_ = fmt::format("the agent at {} does not tell its keys", socket_);
        return;
    }
    std::optional<std::vector<AgentKey>> keys = read_identities(*answer);
    if (!keys) {
        trouble_ = fmt::format("the agent at {} answers what is no agent's message", socket_);
        return;
    }
    std::erase_if(*keys, [](const AgentKey& key) { return !is_usable(key); });
    keys_ = std::move(*keys);
}

bool SshAgent::holds(const KeyBlob& key) const {
    return std::any_of(keys_.begin(), keys_.end(),
                       [&](const AgentKey& one) { return one.blob == key; });
}

}  // namespace gpumuster
