#include "support/listener.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <utility>

#include "support/catch.hpp"

namespace gpumuster::test {
namespace {

#ifdef MSG_NOSIGNAL
constexpr int no_signal = MSG_NOSIGNAL;
#else
constexpr int no_signal = 0;
#endif

// None of these may reach the programs that a test starts meanwhile.
UniqueFd new_socket() {
#ifdef SOCK_CLOEXEC
    return UniqueFd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
#else
    UniqueFd fd(::socket(AF_INET, SOCK_STREAM, 0));
    ::fcntl(fd.get(), F_SETFD, FD_CLOEXEC);
    return fd;
#endif
}

UniqueFd accept_one(int listener) {
#ifdef SOCK_CLOEXEC
    return UniqueFd(::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC));
#else
    UniqueFd fd(::accept(listener, nullptr, nullptr));
    ::fcntl(fd.get(), F_SETFD, FD_CLOEXEC);
    return fd;
#endif
}

sockaddr_in loopback(std::uint16_t port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
}

std::string big_endian(std::size_t number) {
    std::string bytes(4, '\0');
    for (std::size_t i = 0; i < 4; ++i) bytes[3 - i] = static_cast<char>(number >> (8 * i));
    return bytes;
}

std::string ssh_string(const std::string& text) {
    return big_endian(text.size()) + text;
}

}  // namespace

Listener refuse_on_loopback() {
    Listener listener;
    listener.fd = new_socket();
    sockaddr_in address = loopback(0);
    REQUIRE(::bind(listener.fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
    socklen_t length = sizeof address;
    REQUIRE(::getsockname(listener.fd.get(), reinterpret_cast<sockaddr*>(&address), &length) == 0);
    listener.port = ntohs(address.sin_port);
    return listener;
}

Listener listen_on_loopback() {
    Listener listener = refuse_on_loopback();
    REQUIRE(::listen(listener.fd.get(), 128) == 0);
    return listener;
}

DeafListener deaf_on_loopback() {
    DeafListener deaf;
    deaf.listener = refuse_on_loopback();
    REQUIRE(::listen(deaf.listener.fd.get(), 0) == 0);
    // The kernel holds one more than was asked for; those after that are what keeps it full.
    for (int i = 0; i < 4; ++i) {
        UniqueFd waiting = new_socket();
        ::fcntl(waiting.get(), F_SETFL, O_NONBLOCK);
        const sockaddr_in address = loopback(deaf.listener.port);
        ::connect(waiting.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address);
        deaf.queue.push_back(std::move(waiting));
    }
    return deaf;
}

UniqueFd accept_from(const Listener& listener) {
    UniqueFd connection = accept_one(listener.fd.get());
    REQUIRE(connection.is_open());
    return connection;
}

bool FakePeer::say(const std::string& text) {
    std::string_view rest = text;
    while (!rest.empty()) {
        const ssize_t count = ::send(fd_, rest.data(), rest.size(), no_signal);
        if (count <= 0) return false;
        rest.remove_prefix(static_cast<std::size_t>(count));
    }
    return true;
}

std::string FakePeer::hear() {
    std::array<char, 4096> bytes;
    const ssize_t count = ::recv(fd_, bytes.data(), bytes.size(), 0);
    return count > 0 ? std::string(bytes.data(), static_cast<std::size_t>(count)) : std::string();
}

void FakePeer::stay() {
    while (!hear().empty()) {
    }
}

bool FakePeer::pause(std::chrono::milliseconds duration) {
    return !server_.wait_for_end(duration);
}

void FakePeer::reset() {
    const linger at_once{1, 0};
    ::setsockopt(fd_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
}

FakeServer::FakeServer(Manner manner)
    : manner_(std::move(manner)), listener_(listen_on_loopback()) {
    threads_.emplace_back([this] { accept_all(); });
}

FakeServer::~FakeServer() {
    {
        const std::lock_guard lock(mutex_);
        is_ending_ = true;
        for (const auto& [number, fd] : open_) ::shutdown(fd.get(), SHUT_RDWR);
    }
    ending_.notify_all();
    ::shutdown(listener_.fd.get(), SHUT_RDWR);
    threads_.front().join();
    for (std::size_t i = 1; i < threads_.size(); ++i) threads_[i].join();
}

void FakeServer::accept_all() {
    for (;;) {
        UniqueFd fd = accept_one(listener_.fd.get());
        if (!fd.is_open()) return;
        const std::lock_guard lock(mutex_);
        if (is_ending_) return;
        const int number = connections_++;
        open_[number] = std::move(fd);
        threads_.emplace_back([this, number] { serve(number); });
    }
}

void FakeServer::serve(int number) {
    int fd = -1;
    {
        const std::lock_guard lock(mutex_);
        fd = open_.at(number).get();
    }
    FakePeer peer(*this, fd);
    manner_(peer);
    const std::lock_guard lock(mutex_);
    open_.erase(number);
}

bool FakeServer::wait_for_end(std::chrono::milliseconds duration) {
    std::unique_lock lock(mutex_);
    return ending_.wait_for(lock, duration, [this] { return is_ending_; });
}

FakeServer::Manner silent() {
    return [](FakePeer& peer) { peer.stay(); };
}

FakeServer::Manner closing() {
    return [](FakePeer&) {};
}

FakeServer::Manner resetting() {
    return [](FakePeer& peer) { peer.reset(); };
}

// Hears what the client says of itself first, since a close with bytes unread would be a reset.
FakeServer::Manner saying(const std::string& text) {
    return [text](FakePeer& peer) {
        peer.say(text);
        peer.hear();
    };
}

FakeServer::Manner saying_only(const std::string& text) {
    return [text](FakePeer& peer) {
        peer.say(text);
        peer.stay();
    };
}

FakeServer::Manner dripping(const std::string& text) {
    return [text](FakePeer& peer) {
        for (std::size_t i = 0; peer.pause(std::chrono::milliseconds(100)); ++i) {
            if (!peer.say(text.substr(i % text.size(), 1))) return;
        }
    };
}

FakeServer::Manner flooding(const std::string& line) {
    return [line](FakePeer& peer) {
        while (peer.say(line)) {
        }
    };
}

// RFC 4253, 6 and 7.1.
std::string key_exchange_offer(const std::string& key_exchanges, const std::string& host_keys,
                               const std::string& ciphers) {
    const std::string macs = "hmac-sha2-256";
    std::string payload = "\x14" + std::string(16, 'c');
    for (const std::string& list :
         {key_exchanges, host_keys, ciphers, ciphers, macs, macs, std::string("none"),
          std::string("none"), std::string(), std::string()}) {
        payload += ssh_string(list);
    }
    payload += std::string(5, '\0');
    std::size_t padding = 8 - (payload.size() + 5) % 8;
    if (padding < 4) padding += 8;
    return big_endian(payload.size() + padding + 1) + static_cast<char>(padding) + payload +
           std::string(padding, '\0');
}

std::string usual_key_exchange_offer() {
    return key_exchange_offer("curve25519-sha256", "ssh-ed25519", "aes128-ctr");
}

}  // namespace gpumuster::test
