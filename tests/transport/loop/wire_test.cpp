#include "gpumuster/transport/loop/wire.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>

#include <asio/post.hpp>

#include "support/catch.hpp"
#include "support/descriptors.hpp"
#include "support/run_on_loop.hpp"

using namespace gpumuster;
using namespace std::chrono_literals;

namespace {

struct Pair {
    UniqueFd ours;
    UniqueFd theirs;
};

Pair socket_pair() {
    std::array<int, 2> ends{};
    REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) == 0);
    Pair pair;
    pair.ours.reset(ends[0]);
    pair.theirs.reset(ends[1]);
    return pair;
}

Deadline in(std::chrono::milliseconds duration) {
    return std::chrono::steady_clock::now() + duration;
}

}  // namespace

TEST_CASE("a wire wakes when bytes arrive, when they are there already, and at a hang-up") {
    asio::io_context context;
    Pair pair = socket_pair();
    Wire wire(context.get_executor(), std::move(pair.ours));
    CHECK(test::run_on(context, wire.wait(Want::readable, in(1ms))) == Wake::deadline);

    asio::post(context, [&] { CHECK(::write(pair.theirs.get(), "x", 1) == 1); });
    CHECK(test::run_on(context, wire.wait(Want::readable, in(60s))) == Wake::ready);
    CHECK(test::run_on(context, wire.wait(Want::readable, in(60s))) == Wake::ready);

    char byte = 0;
    CHECK(::read(wire.fd(), &byte, 1) == 1);
    CHECK(test::run_on(context, wire.wait(Want::readable, in(1ms))) == Wake::deadline);
    pair.theirs.reset();
    CHECK(test::run_on(context, wire.wait(Want::readable, in(60s))) == Wake::ready);
}

TEST_CASE("waiting for either direction ends with the one that is possible") {
    asio::io_context context;
    Pair pair = socket_pair();
    Wire wire(context.get_executor(), std::move(pair.ours));
    CHECK(test::run_on(context, wire.wait(Want::either, in(60s))) == Wake::ready);
    CHECK(test::run_on(context, wire.wait(Want::writable, in(60s))) == Wake::ready);
    CHECK(test::run_on(context, wire.wait(Want::readable, in(1ms))) == Wake::deadline);
}

TEST_CASE("cancelling a wire ends its wait and every later one") {
    asio::io_context context;
    Pair pair = socket_pair();
    Wire wire(context.get_executor(), std::move(pair.ours));
    asio::post(context, [&] { wire.cancel(); });
    CHECK(test::run_on(context, wire.wait(Want::readable, in(60s))) == Wake::cancelled);
    CHECK(test::run_on(context, wire.wait(Want::readable, in(60s))) == Wake::cancelled);
}

TEST_CASE("a wire makes its descriptor non-blocking and closes it at its end, once") {
    asio::io_context context;
    { Wire first_use_opens_the_reactor(context.get_executor(), std::move(socket_pair().ours)); }
    const std::size_t before = test::open_descriptors();
    {
        Pair pair = socket_pair();
        Wire wire(context.get_executor(), std::move(pair.ours));
        CHECK((::fcntl(wire.fd(), F_GETFL) & O_NONBLOCK) != 0);
        const UniqueFd copy = wire.duplicate();
        CHECK((::fcntl(copy.get(), F_GETFD) & FD_CLOEXEC) != 0);
        Wire moved(std::move(wire));
        CHECK(test::run_on(context, moved.wait(Want::writable, in(60s))) == Wake::ready);
    }
    CHECK(test::open_descriptors() == before);
}

// With one shared descriptor, a library that closes it frees the number for the next host, whose
// registration the first host's later release then removed: that healthy host was never woken.
TEST_CASE("a descriptor number that is used again after a reset still wakes its new owner") {
    asio::io_context context;
    Pair first = socket_pair();
    auto wire = std::make_unique<Wire>(context.get_executor(), std::move(first.ours));
    UniqueFd copy = wire->duplicate();
    first.theirs.reset();
    CHECK(test::run_on(context, wire->wait(Want::readable, in(60s))) == Wake::ready);
    const int number = copy.get();
    copy.reset();  // the library closes its own on a reset

    Pair second = socket_pair();
    const bool is_used_again = second.ours.get() == number || second.theirs.get() == number;
    CHECK(is_used_again);
    Wire other(context.get_executor(), std::move(second.ours));
    wire.reset();
    asio::post(context, [&] { CHECK(::write(second.theirs.get(), "x", 1) == 1); });
    CHECK(test::run_on(context, other.wait(Want::readable, in(60s))) == Wake::ready);
}

TEST_CASE("a wire that goes while its handlers are pending leaves nothing behind") {
    asio::io_context context;
    Pair pair = socket_pair();
    {
        Wire wire(context.get_executor(), std::move(pair.ours));
        CHECK(test::run_on(context, wire.wait(Want::readable, in(1ms))) == Wake::deadline);
    }
    context.restart();
    context.run();
    CHECK(context.stopped());
}
