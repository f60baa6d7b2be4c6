#include "gpumuster/transport/ssh/agent_socket.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "gpumuster/transport/loop/wire.hpp"

namespace gpumuster {
namespace {

#ifdef MSG_NOSIGNAL
constexpr int no_signal = MSG_NOSIGNAL;
#else
constexpr int no_signal = 0;
#endif

bool would_wait(int error) {
    return error == EAGAIN || error == EWOULDBLOCK || error == EINTR;
}

}  // namespace

AgentSocket connect_to_agent(const std::string& path) {
    AgentSocket result;
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.size() >= sizeof address.sun_path) {
        result.is_absent = true;
        result.detail = "the path of its socket is too long";
        return result;
    }
    std::memcpy(address.sun_path, path.data(), path.size());
    UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM, 0));
    if (!fd.is_open()) {
        result.detail = std::strerror(errno);
        return result;
    }
    ::fcntl(fd.get(), F_SETFD, FD_CLOEXEC);
    set_nonblocking(fd.get());
    if (::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) {
        result.fd = std::move(fd);
        return result;
    }
    // A Unix socket connects at once or not at all.
    result.is_busy = would_wait(errno);
    result.is_absent = errno == ENOENT || errno == ENOTDIR || errno == ECONNREFUSED;
    result.detail = std::strerror(errno);
    return result;
}

Io send_some(int fd, std::string& text) {
    while (!text.empty()) {
        const ssize_t count = ::send(fd, text.data(), text.size(), no_signal);
        if (count < 0) return would_wait(errno) ? Io::would_wait : Io::gone;
        text.erase(0, static_cast<std::size_t>(count));
    }
    return Io::done;
}

Io receive_some(int fd, std::string& text) {
    std::array<char, 16384> buffer;
    const ssize_t count = ::recv(fd, buffer.data(), buffer.size(), 0);
    if (count < 0) return would_wait(errno) ? Io::would_wait : Io::gone;
    if (count == 0) return Io::gone;
    text.append(buffer.data(), static_cast<std::size_t>(count));
    return Io::done;
}

}  // namespace gpumuster
