#include "gpumuster/inventory/settings_overlay.hpp"

#include "gpumuster/inventory/inventory.hpp"
#include "support/catch.hpp"

using namespace gpumuster;
using namespace std::chrono_literals;

TEST_CASE("flags win over everything that the inventory said") {
    Host host = load_inventory(R"(hosts:
  n: {address: a, port: 1, user: u, identity: i, known_hosts: k, connect_timeout: 1s,
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
