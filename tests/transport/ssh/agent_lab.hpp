#pragma once

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <atomic>
#include <cstring>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "gpumuster/transport/ssh/agent_protocol.hpp"
#include "gpumuster/transport/ssh/agent_socket.hpp"
#include "support/program.hpp"
#include "support/temp_dir.hpp"

namespace gpumuster::test {

// OpenSSH's own agent with the given keys.
class RealAgent {
public:
    explicit RealAgent(const std::vector<std::string>& key_files) : socket_(folder_.file("agent")) {
        ProgramOrder order;
        order.argv = {"ssh-agent", "-D", "-a", socket_};
        process_ =
            std::make_unique<BackgroundProgram>(order, folder_.file("out"), folder_.file("err"));
        if (!wait_for_text(folder_.file("out"), "SSH_AUTH_SOCK", *process_)) {
            throw std::runtime_error("ssh-agent does not start");
        }
        for (const std::string& file : key_files) add({file});
    }

    // ssh-add with these arguments; a passphrase is given by a program, as ssh-add wants it.
    void add(std::vector<std::string> arguments, const std::string& passphrase = {}) {
        ProgramOrder order;
        order.argv = std::move(arguments);
        order.argv.insert(order.argv.begin(), {"ssh-add", "-q"});
        order.environment = {{"SSH_AUTH_SOCK", socket_}};
        if (!passphrase.empty()) {
            order.environment["SSH_ASKPASS"] =
                folder_.write("askpass", "#!/bin/sh\necho '" + passphrase + "'\n", 0700);
            order.environment["SSH_ASKPASS_REQUIRE"] = "force";
        }
        const ProgramResult result = run_program(order);
        if (result.status != 0) throw std::runtime_error("ssh-add: " + result.err);
    }

    const std::string& socket() const { return socket_; }

private:
    TempDir folder_;
    std::string socket_;
    std::unique_ptr<BackgroundProgram> process_;
};

// Asks a real agent one thing.
inline std::string ask_agent(const std::string& socket, const std::string& message) {
    const AgentSocket connection = connect_to_agent(socket);
    std::string unsent = frame_agent_message(message);
    send_some(connection.fd.get(), unsent);
    std::string received;
    std::string answer;
    while (take_agent_message(received, answer) == Framing::incomplete) {
        pollfd entry{connection.fd.get(), POLLIN, 0};
        ::poll(&entry, 1, -1);
        if (receive_some(connection.fd.get(), received) == Io::gone) return {};
    }
    return answer;
}

// An agent that is ill: what it says to each message is up to the test.
class FakeAgent {
public:
    struct Reply {
        std::string bytes;  // with their length before them, or whatever is to be said
        bool then_closes = false;
    };
    using Manner = std::function<Reply(const std::string& message)>;

    explicit FakeAgent(Manner manner) : socket_(folder_.file("agent")), manner_(std::move(manner)) {
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        std::memcpy(address.sun_path, socket_.data(), socket_.size());
        listener_.reset(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
        const auto* name = reinterpret_cast<const sockaddr*>(&address);
        if (::bind(listener_.get(), name, sizeof address) != 0 ||
            ::listen(listener_.get(), 64) != 0) {
            throw std::runtime_error("the fake agent cannot listen");
        }
        thread_ = std::thread([this] { serve_all(); });
    }
    ~FakeAgent() {
        is_ending_ = true;
        ::shutdown(listener_.get(), SHUT_RDWR);
        thread_.join();
    }
    FakeAgent(const FakeAgent&) = delete;
    FakeAgent& operator=(const FakeAgent&) = delete;

    const std::string& socket() const { return socket_; }
    int requests() const { return requests_; }
    int sign_requests() const { return sign_requests_; }

private:
    struct Peer {
        UniqueFd fd;
        std::string received;
    };

    void serve_all() {
        std::list<Peer> peers;
        while (!is_ending_) {
            std::vector<pollfd> entries{{listener_.get(), POLLIN, 0}};
            for (const Peer& peer : peers) entries.push_back({peer.fd.get(), POLLIN, 0});
            ::poll(entries.data(), entries.size(), -1);
            if (is_ending_) return;
            std::size_t index = 1;
            for (auto peer = peers.begin(); peer != peers.end();) {
                const bool is_ready = entries[index++].revents != 0;
                peer = is_ready && !serve(*peer) ? peers.erase(peer) : std::next(peer);
            }
            if (entries[0].revents != 0) {
                UniqueFd fd(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
                if (fd.is_open()) peers.push_back(Peer{std::move(fd), {}});
            }
        }
    }

    bool serve(Peer& peer) {
        if (receive_some(peer.fd.get(), peer.received) == Io::gone) return false;
        std::string message;
        while (take_agent_message(peer.received, message) == Framing::whole) {
            ++requests_;
            if (kind_of(message) == AgentMessage::sign_request) ++sign_requests_;
            Reply reply = manner_(message);
            send_some(peer.fd.get(), reply.bytes);
            if (reply.then_closes) return false;
        }
        return true;
    }

    TempDir folder_;
    const std::string socket_;
    Manner manner_;
    UniqueFd listener_;
    std::atomic<bool> is_ending_{false};
    std::atomic<int> requests_{0};
    std::atomic<int> sign_requests_{0};
    std::thread thread_;
};

}  // namespace gpumuster::test
