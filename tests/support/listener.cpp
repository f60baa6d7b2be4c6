#include "support/listener.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "support/catch.hpp"

namespace gpumuster::test {

Listener refuse_on_loopback() {
    Listener listener;
    listener.fd.reset(::socket(AF_INET, SOCK_STREAM, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
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

UniqueFd accept_from(const Listener& listener) {
    UniqueFd connection(::accept(listener.fd.get(), nullptr, nullptr));
    REQUIRE(connection.is_open());
    return connection;
}

}  // namespace gpumuster::test
