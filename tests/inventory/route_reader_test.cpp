#include "gpumuster/inventory/route_reader.hpp"

#include "gpumuster/inventory/inventory.hpp"
#include "input_lines.hpp"
#include "support/catch.hpp"

using namespace gpumuster;
using Lines = std::vector<std::string>;
using Kind = ContainerEntry::Kind;

namespace {

HostSettings settings_of(const std::string& setting) {
    CAPTURE(setting);
    return load_inventory("hosts:\n  n:\n    " + setting + "\n", "f").hosts[0].settings;
}

std::vector<Hop> hops_of(const std::string& setting) {
    const auto jump = settings_of(setting).jump;
    REQUIRE(jump.has_value());
    return *jump;
}

ContainerEntry container_of(const std::string& setting) {
    const auto container = settings_of(setting).container;
    REQUIRE(container.has_value());
    return *container;
}

Lines problems_of(const std::string& setting) {
    return input_lines([&] { load_inventory("hosts:\n  n:\n    " + setting + "\n", "f"); });
}

// What is wrong with one line of settings of the host "n", without its place.
std::string problem_of(const std::string& setting) {
    CAPTURE(setting);
    const Lines told = problems_of(setting);
    REQUIRE(told.size() == 1);
    REQUIRE(told[0].rfind("f:3:", 0) == 0);
    return told[0].substr(told[0].find(' ') + 1);
}

const std::string hop_syntax =
    "; accepted is [USER@]HOST[:PORT], several with commas in the order in which they are passed, "
    "or none";
const std::string container_syntax = "one of pct: NUMBER, docker: NAME, exec: [TOOL, ARGUMENT, …]";

}  // namespace

TEST_CASE("jump hosts are a text, a list of texts, maps, or both") {
    CHECK(hops_of("jump: bastion").at(0).address == "bastion");
    CHECK(hops_of("jump: ops@bastion:2222,inner").at(1).address == "inner");
    CHECK(hops_of("jump: [a, \"b,c\"]").size() == 3);
    const auto hops = hops_of(
        "jump: [outer, {address: inner, port: 2222, user: ops, identity: [k, /l], "
        "known_hosts: h}]");
    REQUIRE(hops.size() == 2);
    CHECK(hops[0].address == "outer");
    CHECK(hops[1].address == "inner");
    CHECK(hops[1].port == 2222);
    CHECK(hops[1].user == "ops");
    CHECK(hops[1].identities == Lines{"k", "/l"});
    CHECK(hops[1].known_hosts == Lines{"h"});
    CHECK(hops_of("jump: {address: \"2001:db8::1\"}").at(0).address == "2001:db8::1");
}

TEST_CASE("jump none goes straight, and saying nothing leaves it to ssh_config") {
    CHECK(hops_of("jump: none").empty());
    CHECK(hops_of("jump: []").empty());
    CHECK_FALSE(settings_of("port: 22").jump.has_value());
}

TEST_CASE("a jump that cannot be taken is told with what is accepted") {
    CHECK(problem_of("jump:") == "host \"n\": jump has no value");
    CHECK(problem_of("jump: a,,b") == "host \"n\": jump: a hop is empty" + hop_syntax);
    CHECK(problem_of("jump: [a, \"b:x\"]") ==
          "host \"n\": jump: hop \"b:x\": port \"x\" is not a number in 1-65535" + hop_syntax);
    CHECK(problem_of("jump: [a, none]") ==
          "host \"n\": jump: \"none\" means no hop at all, and stands alone: jump: none");
    CHECK(problem_of("jump: [[a]]") == "host \"n\": jump takes a single value, not a list");
    CHECK(problem_of("jump: yes") ==
          "host \"n\": jump \"yes\" is no text in YAML unless it stands in quotes");
    CHECK(problem_of("jump: [\"1a,2a,3a,4a,5a\", \"1b,2b,3b,4b\"]") ==
          "host \"n\": jump: more than 8 hops");
}

TEST_CASE("a hop as a map is held against the same rules as a host") {
    CHECK(problem_of("jump: [{user: ops}]") == "host \"n\": jump: a hop needs an address");
    CHECK(problem_of("jump: {address: \"b:22\"}") ==
          "host \"n\": jump.address \"b:22\" has a ':', which no host name or address has; the "
          "port has a key of its own: port");
    CHECK(problem_of("jump: {address: b, port: 0}") ==
          "host \"n\": jump.port 0 is outside 1-65535");
    CHECK(problem_of("jump: {address: b, user: a b}") ==
          "host \"n\": jump.user \"a b\" has a blank");
    CHECK(problem_of("jump: {address: b, identity: []}") ==
          "host \"n\": jump.identity is an empty list");
    CHECK(problem_of("jump: {address: b, usr: x}") ==
          "host \"n\": unknown key \"usr\"; did you mean \"user\"?");
    CHECK(problem_of("jump: {address: b, jump: x}") ==
          "host \"n\": unknown key \"jump\"; accepted are address, port, user, identity, "
          "known_hosts");
}

TEST_CASE("a list of hops that contains itself ends in a message") {
    CHECK(problems_of("jump: &j [*j]").size() == 1);
    CHECK(problems_of("jump: &j {address: *j}").size() == 1);
}

TEST_CASE("a container is a number of Proxmox, a name of docker, or a command") {
    CHECK(container_of("container: {pct: 129}").kind == Kind::pct);
    CHECK(container_of("container: {pct: 129}").name == "129");
    CHECK(container_of("container: {pct: \"129\"}").name == "129");
    CHECK(container_of("container: {docker: web-1}").kind == Kind::docker);
    CHECK(container_of("container: {docker: web-1}").name == "web-1");
    const ContainerEntry entry =
        container_of("container: {exec: [podman, exec, \"a b\", 7, \"$x\"]}");
    CHECK(entry.kind == Kind::exec);
    CHECK(entry.argv == Lines{"podman", "exec", "a b", "7", "$x"});
}

TEST_CASE("the place of the name in a container is filled in for each host") {
    const Inventory inventory = load_inventory(R"(
hosts:
  web[1-2]: {address: pve1, container: {docker: "prod-{name}"}}
  lab[1-2]: {container: {exec: [incus, exec, "{name}", "--env=a={name}/{name}", --]}}
)",
                                               "f");
    CHECK(inventory.hosts[1].settings.container->name == "prod-web2");
    CHECK(inventory.hosts[3].settings.container->argv ==
          Lines{"incus", "exec", "lab2", "--env=a=lab2/lab2", "--"});
}

TEST_CASE("a container that cannot be taken is told with what is accepted") {
    CHECK(problem_of("container: 129") ==
          "host \"n\": container takes a map with " + container_syntax + ", not a single value");
    CHECK(problem_of("container:") ==
          "host \"n\": container takes a map with " + container_syntax + ", not nothing");
    CHECK(problem_of("container: {}") ==
          "host \"n\": container has 0 keys; accepted is " + container_syntax);
    CHECK(problem_of("container: {pct: 129, docker: x}") ==
          "host \"n\": container has 2 keys; accepted is " + container_syntax);
    CHECK(problem_of("container: {lxc: 129}") ==
          "host \"n\": container: unknown key \"lxc\"; accepted is " + container_syntax);
    CHECK(problem_of("container: {pct: 99}") ==
          "host \"n\": container.pct 99 is outside 100-999999999");
    CHECK(problem_of("container: {pct: web}") ==
          "host \"n\": container.pct \"web\" is not a number in 100-999999999");
    CHECK_THAT(problem_of("container: {docker: \"-x\"}"),
               ContainsSubstring("container.docker \"-x\" is no name of a container"));
    CHECK_THAT(problem_of("container: {docker: \"{host}\"}"),
               ContainsSubstring("is no name of a container"));
}

TEST_CASE("the command of a container is a list of words that every login shell hands on") {
    CHECK(problem_of("container: {exec: podman exec x}") ==
          "host \"n\": container.exec takes a list such as [podman, exec, NAME], not a single "
          "value");
    CHECK(problem_of("container: {exec: []}") ==
          "host \"n\": container.exec takes a list such as [podman, exec, NAME], not an empty one");
    CHECK(problem_of("container: {exec: [podman, \"a!\"]}") ==
          "host \"n\": container.exec \"a!\" has a '!', which not every login shell hands on");
    CHECK(problem_of("container: {exec: [podman, 'a\\b']}") ==
          "host \"n\": container.exec \"a\\b\" has a '\\', which not every login shell hands on");
    CHECK(problem_of("container: {exec: [podman, \"wä\"]}") ==
          "host \"n\": container.exec \"wä\" has a character that is not printable ASCII");
    CHECK(problem_of("container: {exec: [podman, \"a\\nb\"]}") ==
          "host \"n\": container.exec \"a b\" has characters that cannot be printed");
    CHECK(problem_of("container: {exec: [podman, no]}") ==
          "host \"n\": container.exec \"no\" is no text in YAML unless it stands in quotes");
    CHECK(problem_of("container: {exec: [podman, \"\"]}") ==
          "host \"n\": container.exec \"\" is empty");
    CHECK(problem_of("container: {exec: [[podman]]}") ==
          "host \"n\": container.exec takes a single value, not a list");
}
