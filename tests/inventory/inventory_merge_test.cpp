#include "gpumuster/inventory/inventory.hpp"
#include "input_lines.hpp"
#include "support/catch.hpp"

using namespace gpumuster;
using Lines = std::vector<std::string>;

namespace {

Inventory merged(const Lines& texts) {
    std::vector<Inventory> inventories;
    for (const std::string& text : texts) inventories.push_back(load_inventory(text, "f"));
    return merge_inventories(std::move(inventories));
}

}  // namespace

TEST_CASE("several files are one inventory, in their order") {
    const Inventory inventory = merged(
        {"hosts: {b: }\ngroups: {g: b, h: b}", "hosts: {a: {port: 7}, c: }\ngroups: {g: [c, a]}"});
    REQUIRE(inventory.hosts.size() == 3);
    CHECK(inventory.hosts[0].name == "b");
    CHECK(inventory.hosts[1].name == "a");
    CHECK(inventory.hosts[1].settings.port == 7);
    CHECK(inventory.hosts[1].groups == Lines{"g"});
    CHECK(inventory.groups.at("g") == Lines{"b", "a", "c"});
    CHECK(inventory.groups.at("h") == Lines{"b"});
}

TEST_CASE("a host in two files is a mistake, and every one is told") {
    CHECK(input_lines([] {
              merged({"hosts: {a: , b: , c: }", "hosts: {c: , a: }"});
          }) ==
          Lines{"host \"c\" stands in two inventories", "host \"a\" stands in two inventories"});
}

TEST_CASE("a name cannot be a host in one file and a group in another") {
    const Lines told{"\"x\" is a host in one inventory and a group in another"};
    CHECK(input_lines([] { merged({"hosts: {x: }", "hosts: {a: }\ngroups: {x: a}"}); }) == told);
    CHECK(input_lines([] { merged({"hosts: {a: }\ngroups: {x: a}", "hosts: {x: }"}); }) == told);
}

TEST_CASE("one file stays as it is, and none is an empty inventory") {
    CHECK(merged({"hosts: {a: }"}).hosts.size() == 1);
    CHECK(merge_inventories({}).hosts.empty());
}
