#include "gpumuster/report/name_fold.hpp"

#include <algorithm>

#include "gpumuster/inventory/host_range.hpp"
#include "support/catch.hpp"

namespace gpumuster {
namespace {

std::string folded(const std::vector<std::string>& names) {
    const auto lines = fold_names(names, 200);
    REQUIRE(lines.size() == 1);
    return lines.front();
}

std::vector<std::string> expanded(const std::vector<std::string>& lines) {
    std::vector<std::string> names;
    for (const std::string& line : lines) {
        for (const std::string& expression : split_host_list(line)) {
            const auto some = expand_host_range(expression);
            INFO(expression);
            REQUIRE(some.has_value());
            names.insert(names.end(), some->begin(), some->end());
        }
    }
    std::ranges::sort(names);
    return names;
}

}  // namespace

TEST_CASE("neighbouring numbers become a range") {
    CHECK(folded({"node1", "node2", "node3"}) == "node[1-3]");
    CHECK(folded({"node01", "node02", "node04"}) == "node[01-02,04]");
    CHECK(folded({"rack1-gpu08.example.org", "rack1-gpu09.example.org"}) ==
          "rack1-gpu[08-09].example.org");
    CHECK(folded({"gpu-3a", "gpu-4a"}) == "gpu-[3-4]a");
    CHECK(folded({"7", "8"}) == "[7-8]");
}

TEST_CASE("numbers are sorted and kinds of names keep their order") {
    CHECK(folded({"node3", "edge9", "node1", "login", "node2", "edge8"}) ==
          "node[1-3],edge[8-9],login");
}

TEST_CASE("padding is kept") {
    CHECK(folded({"n08", "n09", "n10", "n11"}) == "n[08-11]");
    CHECK(folded({"n8", "n9", "n10", "n11"}) == "n[8-11]");
    CHECK(folded({"n098", "n099", "n100"}) == "n[098-100]");
    CHECK(folded({"n98", "n99", "n100"}) == "n[98-100]");
    SECTION("and different paddings are never mixed in a range") {
        CHECK(folded({"n1", "n02", "n3"}) == "n[1,02,3]");
        CHECK(folded({"n09", "n010"}) == "n[09,010]");
        CHECK(folded({"n1", "n01", "n2", "n02"}) == "n[1,01,2,02]");
        CHECK(folded({"n99", "n100", "n0101"}) == "n[99-100,0101]");
    }
}

TEST_CASE("one name stays as it is") {
    CHECK(folded({"node07"}) == "node07");
    CHECK(folded({"login"}) == "login");
    CHECK(folded({"root@203.0.113.7:10978"}) == "root@203.0.113.7:10978");
    CHECK(folded({"node07", "edge7"}) == "node07,edge7");
}

TEST_CASE("addresses fold at the host, not at the port") {
    CHECK(folded({"10.0.0.9", "10.0.0.10"}) == "10.0.0.[9-10]");
    CHECK(folded({"root@10.0.0.9:22", "root@10.0.0.10:22"}) == "root@10.0.0.[9-10]:22");
    CHECK(folded({"user1@gpu7:22", "user1@gpu8:22"}) == "user1@gpu[7-8]:22");
    CHECK(folded({"gpu7:22", "gpu7:23"}) == "gpu7:22,gpu7:23");
    CHECK(folded({"2001:db8::1", "2001:db8::2"}) == "2001:db8::1,2001:db8::2");
}

TEST_CASE("names that no range can express stand alone") {
    CHECK(folded({"a[1", "a[2"}) == "a[1,a[2");
    CHECK(folded({"n1234567890123456789", "n1234567890123456790"}) ==
          "n1234567890123456789,n1234567890123456790");
    CHECK(folded({"n123456789012345678", "n123456789012345679"}) ==
          "n[123456789012345678-123456789012345679]");
    CHECK(folded({"alpha.rack1", "alpha.rack2"}) == "alpha.rack1,alpha.rack2");
}

TEST_CASE("long lists are cut into lines that each expand by themselves") {
    std::vector<std::string> names;
    for (int i = 1; i < 60; i += 2) names.push_back("node" + std::to_string(1000 + i));
    for (int i = 1; i < 9; ++i) names.push_back("edge0" + std::to_string(i));
    const auto lines = fold_names(names, 40);
    CHECK(lines.size() == 5);
    CHECK(lines.front() == "node[1001,1003,1005,1007,1009,1011,1013]");
    CHECK(lines.back() == "node[1057,1059],edge[01-08]");
    for (const std::string& line : lines) CHECK(line.size() <= 40);
    std::ranges::sort(names);
    CHECK(expanded(lines) == names);
}

TEST_CASE("what is folded expands to the same names") {
    std::vector<std::string> names{"n1", "n01", "n2", "n02", "n3", "login"};
    for (int i = 5; i < 130; ++i) {
        if (i % 7 != 0) names.push_back("node" + std::to_string(i));
        if (i % 5 != 0)
            names.push_back("r1-n" + std::string(i < 10 ? "0" : "") + std::to_string(i));
    }
    const auto lines = fold_names(names, 60);
    std::ranges::sort(names);
    CHECK(expanded(lines) == names);
}

}  // namespace gpumuster
