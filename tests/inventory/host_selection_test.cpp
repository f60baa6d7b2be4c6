#include "gpumuster/inventory/inventory.hpp"

#include "input_lines.hpp"
#include "support/catch.hpp"

using namespace gpumuster;
using Words = std::vector<std::string>;

namespace {

const Inventory& fleet() {
    static const Inventory inventory = load_inventory(R"(
hosts:
  node[001-004]: {user: anna}
  gpu7: {port: 2222}
  trainer:
groups:
  training: ["node[003-004]", gpu7]
  small: [gpu7, node001]
)",
                                                      "fleet.yaml");
    return inventory;
}

Words selected(const Words& targets, const Words& excluded = {}) {
    Words names;
    for (const Host& host : select_hosts(fleet(), targets, excluded)) names.push_back(host.name);
    return names;
}

Words lines(const Words& targets, const Words& excluded = {}) {
    return input_lines([&] { select_hosts(fleet(), targets, excluded); });
}

}  // namespace

TEST_CASE("no target and the word all mean every host") {
    const Words everything{"node001", "node002", "node003", "node004", "gpu7", "trainer"};
    CHECK(selected({}) == everything);
    CHECK(selected({"all"}) == everything);
}

TEST_CASE("names, ranges and groups select in the order of the inventory, each host once") {
    CHECK(selected({"trainer", "node001"}) == Words{"node001", "trainer"});
    CHECK(selected({"node[002-003]"}) == Words{"node002", "node003"});
    CHECK(selected({"training"}) == Words{"node003", "node004", "gpu7"});
    CHECK(selected({"training,small", "gpu7"}) == Words{"node001", "node003", "node004", "gpu7"});
}

TEST_CASE("a selected host keeps its settings") {
    const auto hosts = select_hosts(fleet(), Words{"gpu7"}, {});
    REQUIRE(hosts.size() == 1);
    CHECK(hosts[0].settings.port == 2222);
    CHECK(hosts[0].groups == Words{"training", "small"});
}

TEST_CASE("excluded names, ranges and groups are left out") {
    CHECK(selected({}, {"training", "trainer"}) == Words{"node001", "node002"});
    CHECK(selected({"training"}, {"node[001-003]"}) == Words{"node004", "gpu7"});
    CHECK(selected({"gpu7"}, {"trainer"}) == Words{"gpu7"});
    CHECK(selected({"gpu7"}, {""}) == Words{"gpu7"});
}

TEST_CASE("excluding every selected host is a mistake") {
    CHECK(lines({"gpu7"}, {"small"}) ==
          Words{"no host is left to inspect: all of them are excluded"});
    CHECK(lines({}, {"all"}).size() == 1);
}

TEST_CASE("a word that the inventory does not know names the nearest one") {
    CHECK(lines({"node01"}) ==
          Words{"no host or group \"node01\" in the inventory; did you mean \"node001\"?"});
    CHECK(lines({"trainning"}) ==
          Words{"no host or group \"trainning\" in the inventory; did you mean \"training\"?"});
    CHECK(lines({"al"}) ==
          Words{"no host or group \"al\" in the inventory; did you mean \"all\"?"});
    CHECK(lines({"elsewhere"}) == Words{"no host or group \"elsewhere\" in the inventory"});
    CHECK(lines({"root@gpu7"}) == Words{"no host or group \"root@gpu7\" in the inventory"});
}

TEST_CASE("a range must be known as a whole") {
    CHECK(
        lines({"node[003-006]"}) ==
        Words{
            "\"node[003-006]\": no host \"node005\" in the inventory; did you mean \"node001\"?"});
    CHECK(lines({"node[1-2]"}).size() == 1);
    CHECK(lines({"node[2-1]"}) == Words{"range \"[2-1]\" runs backwards"});
}

TEST_CASE("all unknown words are told, those to exclude too") {
    CHECK(lines({"gpu8", "gpu7", "x,trainer"}, {"node9999"}) ==
          Words{"no host or group \"gpu8\" in the inventory; did you mean \"gpu7\"?",
                "no host or group \"x\" in the inventory",
                "no host or group \"node9999\" in the inventory"});
}

TEST_CASE("an empty target never means every host") {
    CHECK(lines({""}) == Words{"a name of a host or group is empty"});
    CHECK(lines({"gpu7,"}) == Words{"a name of a host or group is empty"});
}
