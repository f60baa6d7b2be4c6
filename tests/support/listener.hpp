#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "gpumuster/transport/loop/unique_fd.hpp"

namespace gpumuster::test {

// A TCP listener on a loopback port that the kernel chose.
struct Listener {
    UniqueFd fd;
    std::uint16_t port = 0;
};
Listener listen_on_loopback();

// A loopback port that refuses: it is bound, so that nobody else gets it, and nobody listens.
Listener refuse_on_loopback();

// A loopback port that answers no request for a connection: its queue is full, and kept so.
struct DeafListener {
    Listener listener;
    std::vector<UniqueFd> queue;
};
DeafListener deaf_on_loopback();

// Blocks until a connection has come.
UniqueFd accept_from(const Listener& listener);

class FakeServer;

// One connection to a fake server. Every call ends at once when the server goes.
class FakePeer {
public:
    FakePeer(FakeServer& server, int fd) : server_(server), fd_(fd) {}

    // False when nobody is there any more.
    bool say(const std::string& text);
    // Waits until the other side has said something; empty when it has gone.
    std::string hear();
    // Waits until the other side has gone.
    void stay();
    // False when the server goes meanwhile.
    bool pause(std::chrono::milliseconds duration);
    // The connection ends with a reset in place of an end of stream.
    void reset();

private:
    FakeServer& server_;
    int fd_;
};

// A server on a loopback port that is no sshd: each connection is dealt with by `manner`, on a
// thread of its own, and closed when that returns.
class FakeServer {
public:
    using Manner = std::function<void(FakePeer&)>;
    explicit FakeServer(Manner manner);
    ~FakeServer();
    FakeServer(const FakeServer&) = delete;
    FakeServer& operator=(const FakeServer&) = delete;

    std::uint16_t port() const { return listener_.port; }
    int connections() const { return connections_; }

private:
    friend class FakePeer;
    void accept_all();
    void serve(int number);
    bool wait_for_end(std::chrono::milliseconds duration);

    Manner manner_;
    Listener listener_;
    std::atomic<int> connections_{0};
    std::mutex mutex_;
    std::condition_variable ending_;
    bool is_ending_ = false;
    std::map<int, UniqueFd> open_;
    std::vector<std::thread> threads_;
};

// Manners of servers that are ill.
FakeServer::Manner silent();
FakeServer::Manner closing();                             // at once
FakeServer::Manner resetting();                           // at once
FakeServer::Manner saying(const std::string& text);       // then closes
FakeServer::Manner saying_only(const std::string& text);  // then stays, silent
FakeServer::Manner dripping(const std::string& text);     // a byte each 100 ms, for ever
FakeServer::Manner flooding(const std::string& line);     // for ever

// What an sshd says first, and the message that begins its key exchange.
inline constexpr const char* ssh_identification = "SSH-2.0-OpenSSH_9.2\r\n";
std::string key_exchange_offer(const std::string& key_exchanges, const std::string& host_keys,
                               const std::string& ciphers);
// An offer that every client agrees with.
std::string usual_key_exchange_offer();

}  // namespace gpumuster::test
