#include "gpumuster/inventory/hop_list.hpp"

#include "support/catch.hpp"

using namespace gpumuster;

namespace {

std::vector<Hop> hops_of(std::string_view list) {
    CAPTURE(list);
    const auto hops = parse_hop_list(list);
    REQUIRE(hops.has_value());
    return *hops;
}

std::string fault_of(std::string_view list) {
    CAPTURE(list);
    const auto hops = parse_hop_list(list);
    REQUIRE_FALSE(hops.has_value());
    return hops.error();
}

Hop only_hop(std::string_view list) {
    const auto hops = hops_of(list);
    REQUIRE(hops.size() == 1);
    return hops.front();
}

}  // namespace

TEST_CASE("hops stand in the order in which they are passed, each with its user and port") {
    const auto hops = hops_of("outer,ops@inner:2222, DOM\\u@corp@10.0.0.7");
    REQUIRE(hops.size() == 3);
    CHECK(hops[0].address == "outer");
    CHECK_FALSE(hops[0].user);
    CHECK_FALSE(hops[0].port);
    CHECK(hops[1].address == "inner");
    CHECK(hops[1].user == "ops");
    CHECK(hops[1].port == 2222);
    CHECK(hops[2].address == "10.0.0.7");
    CHECK(hops[2].user == "DOM\\u@corp");
    CHECK(hops[2].identities.empty());
}

TEST_CASE("a hop is written as a target is, with ssh:// and with IPv6 addresses") {
    CHECK(only_hop("ssh://ops@door:2022/").address == "door");
    CHECK(only_hop("ssh://ops@door:2022/").port == 2022);
    CHECK(only_hop("[2001:db8::1]:22").address == "2001:db8::1");
    CHECK(only_hop("[2001:db8::1]:22").port == 22);
    CHECK(only_hop("ops@fe80::1%eth0").address == "fe80::1%eth0");
    CHECK_FALSE(only_hop("2001:db8::1").port);
    CHECK(only_hop("my_alias").address == "my_alias");
}

TEST_CASE("the word none is no hop, and stands alone") {
    CHECK(hops_of("none").empty());
    CHECK(hops_of("None").empty());
    CHECK(fault_of("a,none") == "\"none\" means no hop at all, and stands alone");
    CHECK(only_hop("none1").address == "none1");
    CHECK(only_hop("nonee").address == "nonee");
    CHECK(only_hop("ops@none").address == "none");
}

TEST_CASE("what cannot be a hop is named") {
    CHECK(fault_of("") == "a hop is empty");
    CHECK(fault_of("a,,b") == "a hop is empty");
    CHECK(fault_of("a,") == "a hop is empty");
    CHECK(fault_of("a,b:x") == "hop \"b:x\": port \"x\" is not a number in 1-65535");
    CHECK(fault_of("b:") == "hop \"b:\": port \"\" is not a number in 1-65535");
    CHECK(fault_of("b:022") == "hop \"b:022\": port \"022\" is not a number in 1-65535");
    CHECK(fault_of("@b") == "hop \"@b\": user \"\" is empty");
    CHECK(fault_of("u@") == "hop \"u@\": host name \"\" is empty");
    CHECK(fault_of("-oProxyCommand=x") ==
          "hop \"-oProxyCommand=x\": host name \"-oProxyCommand=x\" begins with '-'");
    CHECK_THAT(fault_of("a b"), ContainsSubstring("has a blank"));
    CHECK_THAT(fault_of("[::x]:1"), ContainsSubstring("is not an IPv6 address"));
    CHECK(fault_of("b[1-2]") == "hop \"b[1-2]\" is a range, and a hop is one machine");
    CHECK_THAT(fault_of("b\x1b[31m"), ContainsSubstring("\\x1b"));
}

TEST_CASE("eight hops are taken and nine are not") {
    CHECK(hops_of("1a,2a,3a,4a,5a,6a,7a,8a").size() == 8);
    CHECK(fault_of("1a,2a,3a,4a,5a,6a,7a,8a,9a") == "more than 8 hops");
}
