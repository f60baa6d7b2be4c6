#include "gpumuster/transport/loop/connect.hpp"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <asio/post.hpp>

#include "support/catch.hpp"
#include "support/descriptors.hpp"
#include "support/listener.hpp"
#include "support/run_on_loop.hpp"

using namespace gpumuster;
using namespace std::chrono_literals;

namespace {

Deadline in(std::chrono::milliseconds duration) {
    return std::chrono::steady_clock::now() + duration;
}

std::vector<SocketAddress> addresses(
    const std::vector<std::pair<std::string, std::uint16_t>>& all) {
    std::vector<SocketAddress> list;
    for (const auto& [name, port] : all) {
        const ResolveOutcome one = lookup_by_getaddrinfo(name, port);
        list.insert(list.end(), one.addresses.begin(), one.addresses.end());
    }
    return list;
}

ConnectOutcome connect(const std::vector<SocketAddress>& list, Deadline deadline) {
    asio::io_context context;
    const auto leave = std::make_shared<Signal>(context.get_executor());
    return test::run_on(context, connect_any(list, deadline, leave));
}

// A listener whose queue is full: the kernel drops further SYNs, so a connect stays pending.
struct FullListener {
    FullListener() : listener(test::refuse_on_loopback()) {
        REQUIRE(::listen(listener.fd.get(), 0) == 0);
        for (UniqueFd& filler : fillers) {
            filler.reset(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0));
            sockaddr_in address{};
            address.sin_family = AF_INET;
            address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
            address.sin_port = htons(listener.port);
            ::connect(filler.get(), reinterpret_cast<sockaddr*>(&address), sizeof address);
        }
    }
    test::Listener listener;
    UniqueFd fillers[4];
};

}  // namespace

TEST_CASE("a connected socket is non-blocking, without delay, and knows its peer") {
    const test::Listener listener = test::listen_on_loopback();
    const ConnectOutcome outcome = connect(addresses({{"127.0.0.1", listener.port}}), in(60s));
    REQUIRE(outcome.status == ConnectStatus::connected);
    CHECK(outcome.peer_address == "127.0.0.1");
    CHECK((::fcntl(outcome.fd.get(), F_GETFL) & O_NONBLOCK) != 0);
    CHECK((::fcntl(outcome.fd.get(), F_GETFD) & FD_CLOEXEC) != 0);
    int no_delay = 0;
    socklen_t size = sizeof no_delay;
    ::getsockopt(outcome.fd.get(), IPPROTO_TCP, TCP_NODELAY, &no_delay, &size);
    CHECK(no_delay != 0);
}

TEST_CASE("a refused port is refused, not timed out") {
    const test::Listener closed = test::refuse_on_loopback();
    const ConnectOutcome outcome = connect(addresses({{"127.0.0.1", closed.port}}), in(60s));
    CHECK(outcome.status == ConnectStatus::refused);
    CHECK_FALSE(outcome.fd.is_open());
}

TEST_CASE("the next address is tried when the first refuses") {
    const test::Listener closed = test::refuse_on_loopback();
    const test::Listener open = test::listen_on_loopback();
    const ConnectOutcome outcome =
        connect(addresses({{"127.0.0.1", closed.port}, {"127.0.0.1", open.port}}), in(60s));
    CHECK(outcome.status == ConnectStatus::connected);
}

TEST_CASE("a silent first address does not keep the second from answering") {
    const FullListener silent;
    const test::Listener open = test::listen_on_loopback();
    const ConnectOutcome outcome = connect(
        addresses({{"127.0.0.1", silent.listener.port}, {"127.0.0.1", open.port}}), in(60s));
    CHECK(outcome.status == ConnectStatus::connected);
}

TEST_CASE("a connect that nobody answers ends at its deadline") {
    const FullListener silent;
    const ConnectOutcome outcome =
        connect(addresses({{"127.0.0.1", silent.listener.port}}), in(30ms));
    CHECK(outcome.status == ConnectStatus::timed_out);
}

TEST_CASE("a cancelled connect ends at once and leaves no descriptor") {
    const FullListener silent;
    const std::size_t before = test::open_descriptors();
    {
        asio::io_context context;
        const auto leave = std::make_shared<Signal>(context.get_executor());
        asio::post(context, [&] { leave->cancel(); });
        const ConnectOutcome outcome = test::run_on(
            context, connect_any(addresses({{"127.0.0.1", silent.listener.port}}), in(60s), leave));
        CHECK(outcome.status == ConnectStatus::cancelled);
    }
    CHECK(test::open_descriptors() == before);
}
