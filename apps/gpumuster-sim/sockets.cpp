#include "gpumuster-sim/sockets.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <optional>
#include <stdexcept>
#include <system_error>

namespace gpumuster::sim {
namespace {

// Thousands of connections may arrive at one host in tests of the client's bounds.
constexpr int backlog = 4096;

[[noreturn]] void fail(const char* call) {
    throw std::system_error(errno, std::generic_category(), call);
}

Descriptor checked(int number, const char* call) {
    if (number < 0) fail(call);
    return Descriptor(number);
}

void set_flags(int descriptor) {
    if (fcntl(descriptor, F_SETFL, O_NONBLOCK) != 0 ||
        fcntl(descriptor, F_SETFD, FD_CLOEXEC) != 0) {
        fail("fcntl");
    }
}

std::optional<sockaddr_in> loopback(const std::string& address) {
    sockaddr_in name{};
    name.sin_family = AF_INET;
    if (inet_pton(AF_INET, address.c_str(), &name.sin_addr) != 1) return {};
    if ((ntohl(name.sin_addr.s_addr) >> 24U) != 127U) return {};
    return name;
}

}  // namespace

Descriptor::~Descriptor() {
    if (number_ >= 0) close(number_);
}

bool is_loopback_address(const std::string& address) {
    return loopback(address).has_value();
}

Port bind_port(const std::string& address, PortUse use) {
    auto name = loopback(address);
    if (!name) throw std::invalid_argument(address + " is not a loopback address");
    Port port;
    port.descriptor = checked(socket(AF_INET, SOCK_STREAM, 0), "socket");
    const int descriptor = port.descriptor.get();
    set_flags(descriptor);
    auto* generic = reinterpret_cast<sockaddr*>(&*name);
    socklen_t size = sizeof(*name);
    if (bind(descriptor, generic, size) != 0) fail("bind");
    if (use == PortUse::listen && listen(descriptor, backlog) != 0) fail("listen");
    if (getsockname(descriptor, generic, &size) != 0) fail("getsockname");
    port.number = ntohs(name->sin_port);
    return port;
}

Descriptor accept_connection(int listener) {
#ifdef __linux__
    Descriptor connection(accept4(listener, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (!connection) return connection;
#else
    Descriptor connection(accept(listener, nullptr, nullptr));
    if (!connection) return connection;
    set_flags(connection.get());
#endif
    const int on = 1;
    setsockopt(connection.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
#ifdef SO_NOSIGPIPE
    setsockopt(connection.get(), SOL_SOCKET, SO_NOSIGPIPE, &on, sizeof(on));
#endif
    return connection;
}

Descriptor copy_of(int descriptor) {
    return checked(fcntl(descriptor, F_DUPFD_CLOEXEC, 0), "fcntl");
}

Pipe make_pipe() {
    std::array<int, 2> ends{};
    if (pipe(ends.data()) != 0) fail("pipe");
    Pipe made{Descriptor(ends[0]), Descriptor(ends[1])};
    set_flags(ends[0]);
    set_flags(ends[1]);
    return made;
}

void send_now(int socket, std::string_view bytes) {
#ifdef MSG_NOSIGNAL
    constexpr int flags = MSG_NOSIGNAL;
#else
    constexpr int flags = 0;
#endif
    // A peer that has gone is noticed by the next read.
    [[maybe_unused]] const auto sent = send(socket, bytes.data(), bytes.size(), flags);
}

std::size_t raise_descriptor_limit() {
    rlimit limit{};
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) fail("getrlimit");
    rlimit raised = limit;
    raised.rlim_cur = limit.rlim_max;
    // macOS refuses an unlimited soft limit; the old one is kept then.
    return setrlimit(RLIMIT_NOFILE, &raised) == 0 ? raised.rlim_cur : limit.rlim_cur;
}

}  // namespace gpumuster::sim
