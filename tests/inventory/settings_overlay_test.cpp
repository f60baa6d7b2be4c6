#include "gpumuster/inventory/settings_overlay.hpp"

#include "gpumuster/inventory/inventory.hpp"
#include "support/catch.hpp"

using namespace gpumuster;
using namespace std::chrono_literals;

TEST_CASE("flags win over everything that the inventory said") {
    Host host = load_inventory(R"(hosts:
  n: {address: a, port: 1, user: u, identity: i, known_hosts: k, connect_timeout: 1s,
      jump: "a,b", container: {pct: 129}, transport: libssh, host_keys: refuse,
      command_timeout: 1s, idle_memory: 1MiB, expect: {gpus: 1, model: m}, labels: {a: x, b: x}}
)",
                               "f")
                    .hosts[0];
    HostSettings flags;
    flags.address = "b";
    flags.port = 2;
    flags.user = "v";
    flags.identities = {"j", "k"};
    flags.known_hosts = {"l"};
    flags.jump = std::vector<Hop>(1);
    flags.jump->front().address = "c";
    flags.container = ContainerEntry();
    flags.container->kind = ContainerEntry::Kind::docker;
    flags.container->name = "web";
    flags.transport = TransportChoice::openssh;
    flags.new_host_keys = NewHostKeys::accept;
    flags.connect_timeout = 2s;
    flags.command_timeout = 3s;
    flags.idle_memory_mib = 0;
    flags.expect = {2, "n"};
    flags.labels = {{"b", "y"}};
    override_settings(host, flags);
    CHECK(host.settings.address == "b");
    CHECK(host.settings.port == 2);
    CHECK(host.settings.user == "v");
    CHECK(host.settings.identities == std::vector<std::string>{"j", "k"});
    CHECK(host.settings.known_hosts == std::vector<std::string>{"l"});
    REQUIRE(host.settings.jump->size() == 1);
    CHECK(host.settings.jump->front().address == "c");
    CHECK(host.settings.container->kind == ContainerEntry::Kind::docker);
    CHECK(host.settings.container->name == "web");
    CHECK(host.settings.transport == TransportChoice::openssh);
    CHECK(host.settings.new_host_keys == NewHostKeys::accept);
    CHECK(host.settings.connect_timeout == 2s);
    CHECK(host.settings.command_timeout == 3s);
    CHECK(host.settings.idle_memory_mib == 0);
    CHECK(host.settings.expect.gpus == 2);
    CHECK(host.settings.expect.model == "n");
    CHECK(host.settings.labels == std::map<std::string, std::string>{{"a", "x"}, {"b", "y"}});
}

TEST_CASE("what the flags do not say stays") {
    HostSettings settings;
    settings.port = 7;
    settings.identities = {"i"};
    settings.expect.model = "m";
    HostSettings upper;
    upper.expect.gpus = 8;
    overlay(settings, upper);
    CHECK(settings.port == 7);
    CHECK(settings.identities == std::vector<std::string>{"i"});
    CHECK(settings.expect.model == "m");
    CHECK(settings.expect.gpus == 8);
    CHECK_FALSE(settings.user.has_value());
}

TEST_CASE("going straight to the host is something said, and wins") {
    HostSettings settings;
    settings.jump = std::vector<Hop>(2);
    HostSettings upper;
    overlay(settings, upper);
    CHECK(settings.jump->size() == 2);
    upper.jump = std::vector<Hop>();
    overlay(settings, upper);
    REQUIRE(settings.jump.has_value());
    CHECK(settings.jump->empty());
}
