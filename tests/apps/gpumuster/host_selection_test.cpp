#include "apps/gpumuster/host_selection.hpp"

#include "fixtures.hpp"
#include "support/catch.hpp"
#include "support/temp_dir.hpp"

using namespace gpumuster;
using gpumuster::test::environment_of;
using gpumuster::test::refusal;

namespace {

using Words = std::vector<std::string>;

// An inventory in a file of its own, gone with the object.
class InventoryFile {
public:
    explicit InventoryFile(const std::string& text) : path_(folder_.write("fleet.yaml", text)) {}
    const std::string& path() const { return path_; }

private:
    test::TempDir folder_;
    std::string path_;
};

const char* const fleet = R"(
defaults: {user: root, identity: ~/.ssh/fleet}
hosts:
  node[1-3]: {port: 2222}
  edge: {address: 203.0.113.9, expect: {gpus: 4}}
groups:
  training: [node1, node2]
)";

std::vector<Host> selected(const Words& words) {
    return selected_hosts(parse_command_line(words, environment_of()), {"desk", "/home/anna"});
}

Words names(const std::vector<Host>& hosts) {
    Words names;
    for (const Host& host : hosts) names.push_back(host.name);
    return names;
}

}  // namespace

TEST_CASE("hosts can be typed without an inventory") {
    const auto hosts = selected({"root@203.0.113.7:10978", "gpu[1-2]"});
    REQUIRE(hosts.size() == 3);
    CHECK(address_of(hosts[0]) == "203.0.113.7");
    CHECK(hosts[0].settings.port == 10978);
    CHECK(hosts[0].settings.user == "root");
    CHECK(hosts[0].reach == Reach::ssh);
    CHECK(hosts[2].name == "gpu2");
}

TEST_CASE("a target with a bad port is refused") {
    CHECK_THAT(refusal([] { selected({"gpu1:99999"}); }), ContainsSubstring("99999"));
    CHECK_THAT(refusal([] { selected({"gpu1:x"}); }), ContainsSubstring("port"));
}

TEST_CASE("an inventory without targets means all its hosts") {
    const InventoryFile file(fleet);
    CHECK(names(selected({"-i", file.path()})) == Words{"node1", "node2", "node3", "edge"});
}

TEST_CASE("targets beside an inventory are its hosts, ranges and groups, less the excluded") {
    const InventoryFile file(fleet);
    CHECK(names(selected({"-i", file.path(), "training"})) == Words{"node1", "node2"});
    CHECK(names(selected({"-i", file.path(), "edge", "node[2-3]"})) ==
          Words{"node2", "node3", "edge"});
    CHECK(names(selected({"-i", file.path(), "-x", "training"})) == Words{"node3", "edge"});
}

TEST_CASE("a target that the inventory does not know is refused with the nearest one") {
    const InventoryFile file(fleet);
    const std::string line = refusal([&] { selected({"-i", file.path(), "trainin"}); });
    CHECK_THAT(line, ContainsSubstring("\"trainin\""));
    CHECK_THAT(line, ContainsSubstring("did you mean \"training\"?"));
}

TEST_CASE("several inventories are one") {
    const InventoryFile file(fleet);
    const InventoryFile lab("hosts: {desk7: {}}\n");
    CHECK(names(selected({"-i", file.path(), "-i", lab.path(), "edge", "desk7"})) ==
          Words{"edge", "desk7"});
}

TEST_CASE("flags win over the inventory and over the target") {
    const InventoryFile file(fleet);
    const auto hosts = selected({"-i", file.path(), "-l", "anna", "-p", "22", "--identity", "k"});
    for (const Host& host : hosts) {
        CHECK(host.settings.user == "anna");
        CHECK(host.settings.port == 22);
        CHECK(host.settings.identities == Words{"k"});
    }
    CHECK(hosts.back().settings.expect.gpus == 4);
    CHECK(selected({"root@gpu1", "-l", "anna"}).front().settings.user == "anna");
}

TEST_CASE("~/ in the file of a flag is the home of the user, for a shell leaves --flag=~/ alone") {
    const auto host =
        selected({"gpu1", "--identity=~/k", "--known-hosts", "~/h", "--known-hosts", "/x/~/h"})
            .front();
    CHECK(host.settings.identities == Words{"/home/anna/k"});
    CHECK(host.settings.known_hosts == Words{"/home/anna/h", "/x/~/h"});
}

TEST_CASE("the way of the flags wins over the inventory, and going straight over its jump hosts") {
    const InventoryFile file(
        "hosts:\n  a: {jump: outer, transport: libssh}\n  b: {host_keys: refuse}\n");
    for (const Host& host : selected({"-i", file.path(), "-J", "x,y", "--transport", "openssh",
                                      "--host-keys", "accept-new"})) {
        REQUIRE(host.settings.jump->size() == 2);
        CHECK(host.settings.jump->back().address == "y");
        CHECK(host.settings.transport == TransportChoice::openssh);
        CHECK(host.settings.new_host_keys == NewHostKeys::accept);
    }
    CHECK(selected({"-i", file.path(), "a", "--jump=none"}).front().settings.jump->empty());
    CHECK(selected({"-i", file.path(), "a"}).front().settings.jump->size() == 1);
}

TEST_CASE("a container of a flag is for one host, which keeps its name") {
    const Host host = selected({"root@pve1", "--pct", "129"}).front();
    CHECK(host.name == "root@pve1");
    CHECK(host.settings.container->name == "129");
    const InventoryFile file(fleet);
    CHECK(
        selected({"-i", file.path(), "edge", "--docker", "web"}).front().settings.container->name ==
        "web");
    CHECK(refusal([] {
              selected({"gpu[1-3]", "--pct", "129"});
          }) ==
          "--pct names one container, and 3 hosts are selected; name one host, or give each its "
          "container: in an inventory");
    CHECK_THAT(refusal([&] {
                   selected({"-i", file.path(), "--docker", "web"});
               }),
               ContainsSubstring("--docker names one container, and 4 hosts are selected"));
}

TEST_CASE("the home for ~/ is the one of the environment, else of the account") {
    const Account account{"anna", "/home/anna"};
    CHECK(local_facts(account, environment_of({{"HOME", "/elsewhere"}})).home == "/elsewhere");
    CHECK(local_facts(account, environment_of()).home == "/home/anna");
}

TEST_CASE("the flag --local is this machine under its own name") {
    const auto hosts = selected({"--local", "--expect-gpus", "2", "--idle-memory", "50MiB"});
    REQUIRE(hosts.size() == 1);
    CHECK(hosts[0].name == "desk");
    CHECK(hosts[0].reach == Reach::local);
    CHECK(hosts[0].settings.expect.gpus == 2);
    CHECK(hosts[0].settings.idle_memory_mib == 50);
}

TEST_CASE("a run over no host is refused, for it would come out as all clean") {
    const auto empty_run = ContainsSubstring("no host is left to inspect");
    CHECK_THAT(refusal([] { selected({"gpu1", "-x", "gpu1"}); }), empty_run);
    const InventoryFile file(fleet);
    CHECK_THAT(refusal([&] {
                   selected({"-i", file.path(), "training", "-x", "node[1-3]"});
               }),
               empty_run);
    const InventoryFile nobody("hosts: {}\n");
    CHECK_FALSE(refusal([&] { selected({"-i", nobody.path()}); }).empty());
    CHECK_FALSE(refusal([] { selected({""}); }).empty());
}

TEST_CASE("an inventory that is not there is refused with its name") {
    CHECK_THAT(refusal([] {
                   selected({"-i", "/tmp/gpumuster/not/there.yaml"});
               }),
               ContainsSubstring("/tmp/gpumuster/not/there.yaml"));
}
