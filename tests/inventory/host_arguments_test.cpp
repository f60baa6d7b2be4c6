#include "gpumuster/inventory/inventory.hpp"

#include "input_lines.hpp"
#include "support/catch.hpp"

using namespace gpumuster;
using Words = std::vector<std::string>;

namespace {

std::vector<Host> hosts(const Words& targets, const Words& excluded = {}) {
    return hosts_from_arguments(targets, excluded);
}

Words names(const std::vector<Host>& list) {
    Words out;
    for (const Host& host : list) out.push_back(host.name);
    return out;
}

Host only(const std::string& target) {
    CAPTURE(target);
    const auto list = hosts({target});
    REQUIRE(list.size() == 1);
    return list.front();
}

Words lines(const Words& targets, const Words& excluded = {}) {
    return input_lines([&] { hosts_from_arguments(targets, excluded); });
}

}  // namespace

TEST_CASE("a bare name is a host that says nothing else") {
    const Host host = only("gpu1");
    CHECK(host.name == "gpu1");
    CHECK(host.reach == Reach::ssh);
    CHECK_FALSE(host.settings.address.has_value());
    CHECK_FALSE(host.settings.user.has_value());
    CHECK_FALSE(host.settings.port.has_value());
}

TEST_CASE("user and port are taken off and the host keeps the name that was typed") {
    const Host host = only("root@203.0.113.7:10978");
    CHECK(host.name == "root@203.0.113.7:10978");
    CHECK(host.settings.user == "root");
    CHECK(host.settings.address == "203.0.113.7");
    CHECK(host.settings.port == 10978);

    CHECK(only("gpu1:8").settings.port == 8);
    CHECK(only("gpu1:8").settings.address == "gpu1");
    CHECK(only("anna@gpu1").settings.address == "gpu1");
    CHECK_FALSE(only("anna@gpu1").settings.port.has_value());
    CHECK(only("anna@corp@gpu1").settings.user == "anna@corp");
    CHECK(only("DOM\\anna@gpu1").settings.user == "DOM\\anna");
}

TEST_CASE("an ssh address is the same without its scheme") {
    const Host host = only("ssh://root@gpu1:2222");
    CHECK(host.name == "root@gpu1:2222");
    CHECK(host.settings.user == "root");
    CHECK(host.settings.address == "gpu1");
    CHECK(host.settings.port == 2222);
    CHECK(only("ssh://gpu1/").name == "gpu1");
    CHECK_FALSE(only("ssh://gpu1").settings.address.has_value());
}

TEST_CASE("an IPv6 address needs brackets only for a port") {
    CHECK(only("::1").name == "::1");
    CHECK(address_of(only("::1")) == "::1");
    CHECK_FALSE(only("::1").settings.port.has_value());
    CHECK_FALSE(only("2001:db8::7:22").settings.port.has_value());

    const Host host = only("[::1]:2222");
    CHECK(host.name == "[::1]:2222");
    CHECK(host.settings.address == "::1");
    CHECK(host.settings.port == 2222);

    const Host scoped = only("user@[fe80::1%eth0]");
    CHECK(scoped.name == "user@[fe80::1%eth0]");
    CHECK(scoped.settings.user == "user");
    CHECK(scoped.settings.address == "fe80::1%eth0");
    CHECK(only("user@fe80::1").settings.address == "fe80::1");
}

TEST_CASE("a range stands for its hosts with the same user and port") {
    const auto list = hosts({"user@node[1-3]:22"});
    CHECK(names(list) == Words{"user@node1:22", "user@node2:22", "user@node3:22"});
    CHECK(list[2].settings.address == "node3");
    CHECK(list[2].settings.user == "user");
    CHECK(list[2].settings.port == 22);
    CHECK(names(hosts({"[1-2].gpu"})) == Words{"1.gpu", "2.gpu"});
    CHECK_FALSE(hosts({"node[1-2]"})[0].settings.address.has_value());
}

TEST_CASE("each host is there once, in the order of the words") {
    CHECK(names(hosts({"b,a", "node[2-3]", "a", "node[1-3]"})) ==
          Words{"b", "a", "node2", "node3", "node1"});
    CHECK(names(hosts({"ssh://a", "a"})) == Words{"a"});
    CHECK(names(hosts({"a", "root@a"})) == Words{"a", "root@a"});
}

TEST_CASE("excluded names go by name and by address") {
    CHECK(names(hosts({"node[1-4]"}, {"node[2-3]"})) == Words{"node1", "node4"});
    CHECK(names(hosts({"root@node[1-2]:22", "node1"}, {"node1"})) == Words{"root@node2:22"});
    CHECK(names(hosts({"root@node1", "node1"}, {"root@node1"})) == Words{"node1"});
    CHECK(names(hosts({"a", "b"}, {"c,d"})) == Words{"a", "b"});
    CHECK(names(hosts({"a"}, {""})) == Words{"a"});
}

TEST_CASE("excluding every typed host is a mistake") {
    CHECK(lines({"a"}, {"a"}) == Words{"no host is left to inspect: all of them are excluded"});
    CHECK(hosts({}).empty());
}

TEST_CASE("every word that is no host is told") {
    CHECK(
        lines({"gpu1:70000", "gpu2", "-x,a b"}) ==
        Words{"target \"gpu1:70000\": port \"70000\" is not a number in 1-65535",
              "target \"-x\": host name \"-x\" begins with '-'",
              "target \"a b\": host name \"a b\" has a blank, which no host name or address has"});
    CHECK(lines({"a"}, {"n[3-1]"}) == Words{"target \"n[3-1]\": range \"[3-1]\" runs backwards"});
}

TEST_CASE("what looks like a host and is none is refused") {
    const auto word =
        GENERATE("", " ", "a,,b", "a,", "@gpu1", "root@", "gpu1:", "gpu1:0", "gpu1:022", "gpu1:ssh",
                 "gpu1:-1", "gpu1:65536", "gpu1:22:33", ":22", "[::1", "[::1]x",
                 "[::1]:", "[::g]:22", "::1:", "a b@gpu1", "-l@gpu1", "ssh://", "ssh://-x",
                 "http://gpu1", "fleet/a", "node[1-3", "node[]:22", "10.0.0.300", "gpu\x1b[31m");
    CAPTURE(word);
    const Words told = lines({word});
    REQUIRE(told.size() == 1);
    CHECK(told[0].rfind("target \"", 0) == 0);
    CHECK(told[0].find('\x1b') == std::string::npos);
}
