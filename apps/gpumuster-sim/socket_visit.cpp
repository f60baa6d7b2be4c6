#include "gpumuster-sim/socket_visit.hpp"

#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <string>
#include <string_view>

#include "gpumuster-sim/sockets.hpp"

namespace gpumuster::sim {
namespace {

void append_number(std::string& packet, std::size_t number) {
    for (int shift = 24; shift >= 0; shift -= 8) {
        packet += static_cast<char>((number >> static_cast<unsigned>(shift)) & 0xffU);
    }
}

// Banner and SSH_MSG_KEXINIT (RFC 4253, 6 and 7.1) of a server with one key exchange method, which
// no client offers any more. libssh, asked to offer it, often closes before its offer is sent.
std::string outdated_offer() {
    constexpr char ssh_msg_kexinit = 20;
    constexpr std::size_t block = 8;
    std::string payload(1, ssh_msg_kexinit);
    payload.append(16, 'c');  // the cookie
    for (const std::string_view list :
         {"diffie-hellman-group1-sha1", "ssh-ed25519", "aes128-ctr", "aes128-ctr", "hmac-sha2-256",
          "hmac-sha2-256", "none", "none", "", ""}) {
        append_number(payload, list.size());
        payload += list;
    }
    payload.append(5, '\0');  // no guess follows; reserved
    const std::size_t padding = 2 * block - (5 + payload.size()) % block;
    std::string packet;
    append_number(packet, 1 + payload.size() + padding);
    packet += static_cast<char>(padding);
    return "SSH-2.0-gpumuster-sim\r\n" + packet + payload + std::string(padding, '\0');
}

// Everything that the server says; sshd's own words where it turns a connection away.
std::string first_words(HostState state) {
    if (state == HostState::throttled) return "Exceeded MaxStartups\r\n";
    if (state == HostState::penalised) return "Not allowed at this time\r\n";
    if (state == HostState::no_common_algorithm) return outdated_offer();
    return "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
}

// Takes what has arrived; false when nothing more can.
bool drain(int socket) {
    std::array<char, 4096> bytes{};
    while (true) {
        const auto count = recv(socket, bytes.data(), bytes.size(), 0);
        if (count == 0) return false;
        if (count < 0) return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
    }
}

}  // namespace

Progress SocketVisit::step() {
    if (state_ == HostState::closed_before_banner) return Progress::over;
    if (!has_spoken_) speak();
    has_spoken_ = true;
    return drain(socket_) ? Progress::wants_input : Progress::over;
}

void SocketVisit::speak() {
    if (state_ == HostState::silent) return;
    send_now(socket_, first_words(state_));
    // It is for the client to see that the offer is of no use.
    if (state_ == HostState::no_common_algorithm) return;
    // Only this side is closed: a full close with the client's banner unread would send a reset,
    // which can overtake the text.
    shutdown(socket_, SHUT_WR);
}

}  // namespace gpumuster::sim
