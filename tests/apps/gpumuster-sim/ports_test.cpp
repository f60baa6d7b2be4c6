#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <string>
#include <thread>

#include "apps/gpumuster-sim/openssh_client.hpp"
#include "gpumuster-sim/running_fleet.hpp"
#include "gpumuster-sim/sockets.hpp"
#include "support/catch.hpp"
#include "support/descriptors.hpp"

using namespace gpumuster;
using namespace gpumuster::sim;
using namespace gpumuster::test;

namespace {

Descriptor connect_to(const HostEndpoint& endpoint) {
    Descriptor connection(socket(AF_INET, SOCK_STREAM, 0));
    sockaddr_in name{};
    name.sin_family = AF_INET;
    name.sin_port = htons(endpoint.port);
    inet_pton(AF_INET, endpoint.address.c_str(), &name.sin_addr);
    const auto* generic = reinterpret_cast<const sockaddr*>(&name);
    if (connect(connection.get(), generic, sizeof(name)) != 0) return {};
    return connection;
}

std::string read_to_end(const Descriptor& connection) {
    std::string text;
    std::array<char, 512> bytes{};
    while (true) {
        const auto count = recv(connection.get(), bytes.data(), bytes.size(), 0);
        if (count <= 0) return text;
        text.append(bytes.data(), static_cast<std::size_t>(count));
    }
}

std::string greeting_of(HostState state) {
    const RunningFleet fleet(one(state));
    const Descriptor connection = connect_to(fleet->host("host"));
    REQUIRE(connection);
    // Unread bytes at the server must not turn the text into a reset.
    send_now(connection.get(), "SSH-2.0-test\r\n");
    return read_to_end(connection);
}

}  // namespace

TEST_CASE("a port that speaks no SSH says all of its text") {
    CHECK(greeting_of(HostState::throttled) == "Exceeded MaxStartups\r\n");
    CHECK(greeting_of(HostState::penalised) == "Not allowed at this time\r\n");
    CHECK_THAT(greeting_of(HostState::not_ssh), ContainsSubstring("HTTP/1.1 400 Bad Request\r\n"));
    CHECK(greeting_of(HostState::closed_before_banner).empty());
}

TEST_CASE("a closed port stays refused, and nobody else can have it") {
    const RunningFleet fleet(one(HostState::refused_port));
    const Descriptor connection = connect_to(fleet->host("host"));
    CHECK_FALSE(connection);
    CHECK(errno == ECONNREFUSED);
}

TEST_CASE("connections made before the fleet plays are answered once it does") {
    SimulatedFleet fleet(one(HostState::throttled));
    const Descriptor connection = connect_to(fleet.host("host"));
    REQUIRE(connection);
    std::thread playing([&] { fleet.run(); });
    CHECK(read_to_end(connection) == "Exceeded MaxStartups\r\n");
    fleet.stop();
    playing.join();
}

TEST_CASE("a fleet that was stopped before it played returns at once") {
    SimulatedFleet fleet(one(HostState::clean));
    fleet.stop();
    fleet.run();
    SUCCEED();
}

TEST_CASE("stopping closes the connections that are still open") {
    Descriptor silent;
    Descriptor greeted;
    {
        Scenario scenario = one(HostState::silent);
        scenario.hosts.push_back(one(HostState::clean).hosts[0]);
        scenario.hosts[1].name = "clean";
        const RunningFleet fleet(scenario);
        silent = connect_to(fleet->host("host"));
        greeted = connect_to(fleet->host("clean"));
        std::array<char, 8> banner{};
        REQUIRE(recv(greeted.get(), banner.data(), banner.size(), MSG_WAITALL) == 8);
        CHECK(std::string(banner.data(), 8) == "SSH-2.0-");
    }
    char byte = 0;
    CHECK(recv(silent.get(), &byte, 1, 0) <= 0);
    CHECK_FALSE(connect_to({"", "127.0.0.1", 1}));
}

TEST_CASE("no descriptor stays open after a fleet with faults") {
    const auto before = open_descriptors();
    {
        Scenario scenario;
        for (const HostStateInfo& info : host_states()) {
            scenario.hosts.push_back(one(info.state).hosts[0]);
            scenario.hosts.back().name = info.name;
        }
        const RunningFleet fleet(scenario);
        for (const HostEndpoint& endpoint : fleet->hosts()) {
            const Descriptor connection = connect_to(endpoint);
            if (connection) send_now(connection.get(), "SSH-2.0-test\r\nnonsense\r\n");
        }
    }
    CHECK(open_descriptors() == before);
}

TEST_CASE("a fleet listens on loopback alone") {
    SimOptions options;
    options.listen = "127.1.2.3";
    CHECK(SimulatedFleet(one(HostState::clean), options).host("host").address == "127.1.2.3");
    for (const char* address : {"0.0.0.0", "192.0.2.1", "::1", "localhost", "127.0.0", ""}) {
        options.listen = address;
        CHECK_THROWS_AS(SimulatedFleet(one(HostState::clean), options), std::invalid_argument);
    }
}
