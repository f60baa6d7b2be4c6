#include "gpumuster/inventory/inventory.hpp"

#include <fmt/format.h>

#include "input_lines.hpp"
#include "support/catch.hpp"

using namespace gpumuster;
using namespace std::chrono_literals;
using Lines = std::vector<std::string>;

namespace {

Inventory load(const std::string& text) {
    return load_inventory(text, "fleet.yaml");
}

Lines problems_of(const std::string& text) {
    return input_lines([&] { load(text); });
}

Lines names(const Inventory& inventory) {
    Lines out;
    for (const Host& host : inventory.hosts) out.push_back(host.name);
    return out;
}

const Host& host(const Inventory& inventory, const std::string& name) {
    for (const Host& candidate : inventory.hosts) {
        if (candidate.name == name) return candidate;
    }
    FAIL("no host " << name);
    return inventory.hosts.front();
}

}  // namespace

TEST_CASE("every setting of a host arrives") {
    const Inventory inventory = load(R"(
hosts:
  node07:
    address: 10.0.0.7
    port: 2222
    user: DOM\anna
    identity: [keys/a, ~/.ssh/b]
    known_hosts: known_hosts
    connect_timeout: 5s
    command_timeout: 1m30s
    idle_memory: 2GiB
    expect: {gpus: 8, model: H100}
    labels: {rack: r1, slot: 12, note: ""}
)");
    REQUIRE(inventory.hosts.size() == 1);
    const Host& node = inventory.hosts[0];
    CHECK(node.name == "node07");
    CHECK(node.reach == Reach::ssh);
    CHECK(address_of(node) == "10.0.0.7");
    CHECK(node.settings.port == 2222);
    CHECK(node.settings.user == "DOM\\anna");
    CHECK(node.settings.identities == Lines{"keys/a", "~/.ssh/b"});
    CHECK(node.settings.known_hosts == Lines{"known_hosts"});
    CHECK(node.settings.connect_timeout == 5s);
    CHECK(node.settings.command_timeout == 90s);
    CHECK(node.settings.idle_memory_mib == 2048);
    CHECK(node.settings.expect.gpus == 8);
    CHECK(node.settings.expect.model == "H100");
    CHECK(node.settings.labels ==
          std::map<std::string, std::string>{{"rack", "r1"}, {"slot", "12"}, {"note", ""}});
}

TEST_CASE("what nobody says stays empty") {
    const Inventory inventory = load("hosts:\n  a:\n  b: {}\n");
    for (const Host& silent : inventory.hosts) {
        CHECK_FALSE(silent.settings.address.has_value());
        CHECK_FALSE(silent.settings.port.has_value());
        CHECK_FALSE(silent.settings.user.has_value());
        CHECK(silent.settings.identities.empty());
        CHECK_FALSE(silent.settings.idle_memory_mib.has_value());
        CHECK_FALSE(silent.settings.expect.gpus.has_value());
        CHECK(silent.groups.empty());
        CHECK(address_of(silent) == silent.name);
    }
    CHECK(inventory.groups.empty());
}

TEST_CASE("zero GPUs expected is not the same as no expectation") {
    CHECK(load("hosts: {a: {expect: {gpus: 0}}}").hosts[0].settings.expect.gpus == 0);
}

TEST_CASE("the same inventory reads from JSON") {
    const Inventory inventory = load(R"({
	"hosts": {"node[1-2]": {"port": 2222, "identity": ["a", "b"]}, "gpu7": null},
	"groups": {"training": ["node[1-2]", "gpu7"]}
})");
    CHECK(names(inventory) == Lines{"node1", "node2", "gpu7"});
    CHECK(host(inventory, "node2").settings.port == 2222);
    CHECK(inventory.groups.at("training") == Lines{"node1", "node2", "gpu7"});
}

TEST_CASE("host wins over range, range over group, group over defaults") {
    const std::string defaults =
        "defaults: {user: d, port: 1, idle_memory: 1MiB, command_timeout: 1s}\n";
    const std::string groups =
        "groups:\n  g: {hosts: [node1], user: g, port: 2, idle_memory: 2MiB}\n";
    const std::string range = "  node[1-2]: {user: r, port: 3}\n";
    const std::string literal = "  node1: {user: h}\n";
    const auto text = GENERATE_COPY(defaults + "hosts:\n" + range + literal + groups,
                                    groups + "hosts:\n" + literal + range + defaults);
    CAPTURE(text);
    const Inventory inventory = load(text);
    CHECK(inventory.hosts.size() == 2);
    const HostSettings& settings = host(inventory, "node1").settings;
    CHECK(settings.user == "h");
    CHECK(settings.port == 3);
    CHECK(settings.idle_memory_mib == 2);
    CHECK(settings.command_timeout == 1s);
    CHECK(host(inventory, "node2").settings.user == "r");
    CHECK(host(inventory, "node2").settings.idle_memory_mib == 1);
}

TEST_CASE("a host keeps the place of its first appearance") {
    CHECK(names(load("hosts:\n  node[1-3]:\n  gpu7:\n  node2: {port: 1}\n  node[0-1]:\n")) ==
          Lines{"node1", "node2", "node3", "gpu7", "node0"});
}

TEST_CASE("of two ranges and of two groups the later wins") {
    const Inventory inventory = load(R"(
hosts:
  node[1-3]: {port: 1}
  node[2-3]: {port: 2}
groups:
  zulu: {hosts: [node1], user: z}
  alpha: {hosts: [node1], user: a}
)");
    CHECK(host(inventory, "node1").settings.port == 1);
    CHECK(host(inventory, "node2").settings.port == 2);
    CHECK(host(inventory, "node1").settings.user == "a");
    CHECK(host(inventory, "node1").groups == Lines{"zulu", "alpha"});
}

TEST_CASE("labels and expectations merge key by key, lists of files as a whole") {
    const Inventory inventory = load(R"(
defaults: {labels: {site: x, rack: none}, expect: {gpus: 8}, identity: [a, b]}
hosts:
  n1: {labels: {rack: r1}, expect: {model: H100}, identity: c}
)");
    const HostSettings& settings = inventory.hosts[0].settings;
    CHECK(settings.labels == std::map<std::string, std::string>{{"site", "x"}, {"rack", "r1"}});
    CHECK(settings.expect.gpus == 8);
    CHECK(settings.expect.model == "H100");
    CHECK(settings.identities == Lines{"c"});
}

TEST_CASE("the way to a host merges like any other setting, each value as a whole") {
    const Inventory inventory = load(R"(
defaults: {jump: "outer,inner", transport: libssh}
hosts:
  node[1-3]: {container: {docker: web}}
  node2: {jump: none, transport: auto}
  node3: {container: {pct: 129}}
groups:
  rented: {hosts: [node1, node2], jump: [{address: door, user: ops}], host_keys: accept-new}
)");
    const HostSettings& first = host(inventory, "node1").settings;
    REQUIRE(first.jump->size() == 1);
    CHECK(first.jump->front().user == "ops");
    CHECK(first.new_host_keys == NewHostKeys::accept);
    CHECK(first.transport == TransportChoice::libssh);
    CHECK(first.container->name == "web");
    CHECK(host(inventory, "node2").settings.jump->empty());
    CHECK(host(inventory, "node2").settings.transport == TransportChoice::automatic);
    CHECK(host(inventory, "node3").settings.jump->size() == 2);
    CHECK(host(inventory, "node3").settings.container->kind == ContainerEntry::Kind::pct);
}

TEST_CASE("the place of the name in an address is filled in for each host") {
    const Inventory inventory = load(R"(
defaults: {address: "{name}.cluster.example"}
hosts:
  node[1-2]:
  gpu7: {address: 10.0.0.7}
)");
    CHECK(address_of(inventory.hosts[0]) == "node1.cluster.example");
    CHECK(address_of(inventory.hosts[1]) == "node2.cluster.example");
    CHECK(address_of(inventory.hosts[2]) == "10.0.0.7");
}

TEST_CASE("one address for several hosts is refused") {
    const auto text = GENERATE("hosts: {\"node[1-2]\": {address: 10.0.0.7}}",
                               "defaults: {address: 10.0.0.7}\nhosts: {a: }",
                               "hosts: {a: }\ngroups: {g: {hosts: a, address: 10.0.0.7}}");
    CAPTURE(text);
    const Lines told = problems_of(text);
    REQUIRE(told.size() == 1);
    CHECK_THAT(told[0], ContainsSubstring("address \"10.0.0.7\" would be one address for several "
                                          "hosts; write {name}"));
    CHECK(problems_of("hosts: {\"node[7]\": {address: 10.0.0.7}}").empty());
}

TEST_CASE("containers of one machine share its address") {
    const Inventory inventory =
        load("hosts: {\"web[1-2]\": {address: pve1, container: {docker: \"{name}\"}}}\n");
    CHECK(address_of(inventory.hosts[1]) == "pve1");
    CHECK(inventory.hosts[1].settings.container->name == "web2");
}

TEST_CASE("a group takes names, ranges, lists and other groups, in every form") {
    const Inventory inventory = load(R"(
hosts:
  node[1-4]:
  gpu7:
groups:
  everything: [half, gpu7]
  half:
    hosts: [ "node[3-4]" ]
    user: anna
  one: gpu7
  list: node1,node[2-3]
  twice: [gpu7, node1, gpu7, one]
)");
    CHECK(inventory.groups.at("everything") == Lines{"node3", "node4", "gpu7"});
    CHECK(inventory.groups.at("half") == Lines{"node3", "node4"});
    CHECK(inventory.groups.at("one") == Lines{"gpu7"});
    CHECK(inventory.groups.at("list") == Lines{"node1", "node2", "node3"});
    CHECK(inventory.groups.at("twice") == Lines{"node1", "gpu7"});
    CHECK(host(inventory, "node3").groups == Lines{"everything", "half", "list"});
    CHECK(host(inventory, "node3").settings.user == "anna");
    CHECK_FALSE(host(inventory, "gpu7").settings.user.has_value());
}

TEST_CASE("a group with unknown members, itself, or nothing inside is refused") {
    CHECK(problems_of(R"(hosts:
  node[1-4]:
groups:
  a: [node5, "node[3-9]", nobody]
  b: [c]
  c: {hosts: [b, node1]}
  d:
  e: []
  f: {user: x}
  g: [[node1], {node: 2}]
  h: g
  i: "node[4-1]"
  j: j
)") == Lines{
           "fleet.yaml:4:7: group \"a\": \"node5\" is neither a host nor a group of this file; did "
           "you mean \"node1\"?",
           "fleet.yaml:4:14: group \"a\": \"node5\" of \"node[3-9]\" is neither a host nor a group "
           "of this file; did you mean \"node1\"?",
           "fleet.yaml:4:27: group \"a\": \"nobody\" is neither a host nor a group of this file",
           "fleet.yaml:6:15: group \"c\": \"b\" contains this group itself",
           "fleet.yaml:7:3: group \"d\" has no hosts",
           "fleet.yaml:8:3: group \"e\" has no hosts",
           "fleet.yaml:9:3: group \"f\" has no hosts",
           "fleet.yaml:10:7: group \"g\": a member is the name of a host, a range or a group, not "
           "a list; a range inside of [ ] needs quotes: \"node[1-4]\"",
           "fleet.yaml:10:16: group \"g\": a member is the name of a host, a range or a group, "
           "not a map; a range inside of [ ] needs quotes: \"node[1-4]\"",
           "fleet.yaml:12:6: group \"i\": range \"[4-1]\" runs backwards",
           "fleet.yaml:13:6: group \"j\": \"j\" contains this group itself",
       });
}

TEST_CASE("a group cannot be named like a host, like all, or like a range") {
    CHECK(problems_of("hosts: {gpu7: }\ngroups:\n  gpu7: gpu7\n  all: gpu7\n  \"n[1-2]\": gpu7\n"
                      "  a b: gpu7\n  on: gpu7\n") ==
          Lines{"fleet.yaml:3:3: group name \"gpu7\" is the name of a host too; choose another",
                "fleet.yaml:4:3: group name \"all\" is taken: it means all hosts",
                "fleet.yaml:5:3: group name \"n[1-2]\" has a range; a group has one name",
                "fleet.yaml:6:3: group name \"a b\" has a blank, which no host name or address has",
                "fleet.yaml:7:3: group name \"on\" is no text in YAML unless it stands in quotes"});
}

TEST_CASE("groups nest sixteen deep and no deeper") {
    const auto chain = [](int depth) {
        std::string text = "hosts: {a: }\ngroups:\n";
        for (int i = 0; i < depth; ++i) text += fmt::format("  g{}: g{}\n", i, i + 1);
        return text + fmt::format("  g{}: a\n", depth);
    };
    CHECK(problems_of(chain(16)).empty());
    const Lines told = problems_of(chain(17));
    REQUIRE(told.size() == 1);
    CHECK_THAT(told[0], ContainsSubstring("groups are nested more than 16 deep"));
    CHECK(problems_of(chain(20'000)).size() >= 1);
}

TEST_CASE("a name with a number behind a colon is refused as ambiguous") {
    CHECK(
        problems_of("hosts:\n  node07:8: {}\n  ::1: {}\n  fe80::1%eth0:\n") ==
        Lines{
            "fleet.yaml:2:3: host name \"node07:8\" is ambiguous, as some files mean a port by it "
            "and others a number of slots; for a port write \"port: 8\" below the host "
            "\"node07\""});
}

TEST_CASE("names that no host can have are refused") {
    CHECK(
        problems_of("hosts:\n  -x:\n  root@a:\n  a,b:\n  no:\n  ~:\n  \"\":\n  all:\n  n[3-1]:\n"
                    "  10.0.0.300:\n  gpü:\n") ==
        Lines{"fleet.yaml:2:3: host name \"-x\" begins with '-'",
              "fleet.yaml:3:3: host name \"root@a\" has a '@', which no host name or address has; "
              "the user has a key of its own: user",
              "fleet.yaml:4:3: host name \"a,b\" has a ',', which no host name or address has",
              "fleet.yaml:5:3: host name \"no\" is no text in YAML unless it stands in quotes",
              "fleet.yaml:6:3: nothing cannot be a key", "fleet.yaml:7:3: host name \"\" is empty",
              "fleet.yaml:8:3: a host cannot be named \"all\", which means all hosts",
              "fleet.yaml:9:3: range \"[3-1]\" runs backwards",
              "fleet.yaml:10:3: host name \"10.0.0.300\" is not an IPv4 address such as 10.0.0.7",
              "fleet.yaml:11:3: host name \"gpü\" has a character that is not printable ASCII, "
              "which no host name or address has"});
}

TEST_CASE("a refused host name does not make its groups look wrong") {
    CHECK(problems_of("hosts:\n  n1:\n  n2@x:\ngroups:\n  g: [n1, n2]\n  h: [h]\n").size() == 2);
}

TEST_CASE("an inventory without a host is refused") {
    const std::string told = "no hosts; write them as keys of a map below hosts:";
    CHECK(problems_of("") == Lines{"fleet.yaml:1:1: " + told});
    CHECK(problems_of("# empty\n---\n") == Lines{"fleet.yaml:1:1: " + told});
    CHECK(problems_of("defaults: {port: 1}\nhosts:\n") == Lines{"fleet.yaml:2:1: " + told});
    CHECK(problems_of("hosts: {}\n") == Lines{"fleet.yaml:1:1: " + told});
}

TEST_CASE("sections of the wrong shape are refused") {
    CHECK(
        problems_of("- a\n") ==
        Lines{"fleet.yaml:1:1: an inventory is a map with the keys defaults, hosts and groups, not "
              "a list"});
    CHECK(problems_of("host: {a: }\nplugin: x\n") ==
          Lines{"fleet.yaml:1:1: unknown key \"host\"; did you mean \"hosts\"?",
                "fleet.yaml:2:1: unknown key \"plugin\"; accepted are defaults, hosts, groups"});
    CHECK(problems_of("hosts: [a]\ngroups: [a]\ndefaults: x\n") ==
          Lines{"fleet.yaml:1:8: hosts takes a map from names to settings, not a list; a host "
                "without settings is written \"name:\"",
                "fleet.yaml:2:9: groups takes a map from names to members, not a list",
                "fleet.yaml:3:11: defaults: takes a map of settings, not a single value"});
}

TEST_CASE("all errors of a file are told, in its order, each with its place") {
    CHECK(problems_of(R"(groups:
  g: [nod1]
hosts:
  node1:
    jmp: bastion
    port: 70000
  node1: {}
defaults:
  usr: x
)") == Lines{
           "fleet.yaml:2:7: group \"g\": \"nod1\" is neither a host nor a group of this file; did "
           "you mean \"node1\"?",
           "fleet.yaml:5:5: host \"node1\": unknown key \"jmp\"; did you mean \"jump\"?",
           "fleet.yaml:6:11: host \"node1\": port 70000 is outside 1-65535",
           "fleet.yaml:7:3: \"node1\" stands here a second time; the first is in line 4",
           "fleet.yaml:9:3: defaults: unknown key \"usr\"; did you mean \"user\"?"});
}

TEST_CASE("a mistake that hosts share by an alias is told once") {
    CHECK(problems_of("hosts:\n  a: &s {port: 0}\n  b: *s\n  c: *s\n") ==
          Lines{"fleet.yaml:2:16: host \"a\": port 0 is outside 1-65535"});
    CHECK(load("hosts:\n  a: &s {port: 7}\n  b: *s\n").hosts[1].settings.port == 7);
}

TEST_CASE("an anchor around its own alias ends in messages") {
    CHECK(problems_of("hosts: &h\n  a: *h\n").size() == 1);
    CHECK(problems_of("hosts: {x: }\ngroups:\n  g: &g [*g]\n").size() == 1);
}

TEST_CASE("a file is named safely in messages") {
    const Lines told = input_lines([] { load_inventory("", "a\x1b[31m.yaml"); });
    REQUIRE(told.size() == 1);
    CHECK(told[0].rfind("a\\x1b[31m.yaml:1:1: ", 0) == 0);
}

TEST_CASE("sixty-five thousand hosts are taken and more are not") {
    const Inventory inventory =
        load("hosts:\n  node[00001-65536]: {port: 22}\ngroups:\n  half: \"node[00001-32768]\"\n");
    CHECK(inventory.hosts.size() == 65'536);
    CHECK(inventory.hosts.back().name == "node65536");
    CHECK(inventory.groups.at("half").size() == 32'768);
    CHECK(problems_of("hosts:\n  node[00001-65536]:\n  gpu7:\n  gpu8:\n") ==
          Lines{"fleet.yaml:3:3: more than 65536 hosts are too many for one inventory",
                "fleet.yaml:4:3: more than 65536 hosts are too many for one inventory"});
}

TEST_CASE("thousands of unknown members are all told, in reasonable time") {
    std::string text = "hosts:\n  node[00001-65536]:\ngroups:\n  g:\n";
    for (int i = 1; i <= 20'000; ++i) text += fmt::format("    - nod{:05}\n", i);
    const Lines told = problems_of(text);
    REQUIRE(told.size() == 20'000);
    CHECK_THAT(told.front(), ContainsSubstring("did you mean \"node00001\"?"));
}
