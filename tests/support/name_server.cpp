#include "support/name_server.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>

#include "support/catch.hpp"

namespace gpumuster::test {
namespace {

constexpr std::size_t header_bytes = 12;

sockaddr_in address_number(unsigned number) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(53);
    address.sin_addr.s_addr = htonl(0x7F350000U + number);  // 127.53.0.0/16
    return address;
}

}  // namespace

// Other tests run at the same time, each with an address that its process number leads to.
NameServer::NameServer(Manner manner) : manner_(manner), fd_(::socket(AF_INET, SOCK_DGRAM, 0)) {
    ::fcntl(fd_.get(), F_SETFD, FD_CLOEXEC);
    const auto start = static_cast<unsigned>(::getpid());
    for (unsigned i = 0; address_.empty() && i < 100; ++i) {
        const sockaddr_in address = address_number((start + i) % 65'000 + 1);
        if (::bind(fd_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
            continue;
        }
        std::array<char, INET_ADDRSTRLEN> text{};
        ::inet_ntop(AF_INET, &address.sin_addr, text.data(), text.size());
        address_ = text.data();
    }
    REQUIRE_FALSE(address_.empty());
    thread_ = std::thread([this] { answer_all(); });
}

NameServer::~NameServer() {
    is_ending_ = true;
    ::shutdown(fd_.get(), SHUT_RDWR);  // wakes the thread, although nothing is connected
    thread_.join();
}

void NameServer::answer_all() {
    std::array<char, 1500> message;
    while (!is_ending_) {
        sockaddr_in client{};
        socklen_t length = sizeof client;
        const ssize_t count = ::recvfrom(fd_.get(), message.data(), message.size(), 0,
                                         reinterpret_cast<sockaddr*>(&client), &length);
        if (is_ending_) return;
        if (count < static_cast<ssize_t>(header_bytes) || manner_ == Manner::is_silent) continue;
        // The question goes back as it came, marked as an answer that failed.
        message[2] = static_cast<char>(message[2] | 0x80);
        message[3] = manner_ == Manner::knows_nothing ? 3 : 2;
        message[10] = message[11] = 0;  // no additional records
        ::sendto(fd_.get(), message.data(), static_cast<std::size_t>(count), 0,
                 reinterpret_cast<const sockaddr*>(&client), length);
    }
}

}  // namespace gpumuster::test
