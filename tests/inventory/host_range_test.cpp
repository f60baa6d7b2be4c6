#include "gpumuster/inventory/host_range.hpp"

#include "support/catch.hpp"

using namespace gpumuster;
using Names = std::vector<std::string>;

namespace {

Names expanded(const std::string& expression) {
    CAPTURE(expression);
    const auto names = expand_host_range(expression);
    REQUIRE(names.has_value());
    return *names;
}

std::string phrase(const std::string& expression) {
    CAPTURE(expression);
    const auto names = expand_host_range(expression);
    REQUIRE_FALSE(names.has_value());
    return names.error();
}

}  // namespace

TEST_CASE("a name without brackets is itself") {
    CHECK(expanded("gpu-07.example.com") == Names{"gpu-07.example.com"});
    CHECK(expanded("") == Names{""});
    CHECK_FALSE(has_range("gpu-07"));
    CHECK(has_range("gpu[1-2]"));
}

TEST_CASE("a range counts from the low to the high bound") {
    CHECK(expanded("node[1-3]") == Names{"node1", "node2", "node3"});
    CHECK(expanded("node[9-11]") == Names{"node9", "node10", "node11"});
    CHECK(expanded("node[7]") == Names{"node7"});
    CHECK(expanded("node[5-5]") == Names{"node5"});
    CHECK(expanded("[1-2]") == Names{"1", "2"});
    CHECK(expanded("n[1-2].gpu.example") == Names{"n1.gpu.example", "n2.gpu.example"});
}

TEST_CASE("padding follows the low bound") {
    CHECK(expanded("node[001-003]") == Names{"node001", "node002", "node003"});
    CHECK(expanded("node[08-11]") == Names{"node08", "node09", "node10", "node11"});
    CHECK(expanded("node[099-101]") == Names{"node099", "node100", "node101"});
    CHECK(expanded("node[98-101]") == Names{"node98", "node99", "node100", "node101"});
    CHECK(expanded("node[001-2]") == Names{"node001", "node002"});
    CHECK(expanded("node[01-128]").front() == "node01");
    CHECK(expanded("node[01-128]").back() == "node128");
    CHECK(expanded("node[0-1,00-01]") == Names{"node0", "node1", "node00", "node01"});
}

TEST_CASE("lists and steps stand inside of the brackets") {
    CHECK(expanded("n[1-3,7,10-20/5]") == Names{"n1", "n2", "n3", "n7", "n10", "n15", "n20"});
    CHECK(expanded("n[0-10/3]") == Names{"n0", "n3", "n6", "n9"});
    CHECK(expanded("n[1-2/9]") == Names{"n1"});
}

TEST_CASE("several brackets multiply and the last one runs fastest") {
    CHECK(expanded("r[1-2]-g[01-02].x") == Names{"r1-g01.x", "r1-g02.x", "r2-g01.x", "r2-g02.x"});
    CHECK(expanded("[1-2][3-4]") == Names{"13", "14", "23", "24"});
}

TEST_CASE("what is no range says so") {
    CHECK(phrase("n[3-1]") == "range \"[3-1]\" runs backwards");
    CHECK(phrase("n[1,9-8]") == "range \"[1,9-8]\" runs backwards");
    CHECK(phrase("n[]") == "range \"[]\" is empty");
    CHECK(phrase("n[1-9/0]") == "range \"[1-9/0]\" has a step of 0");
    CHECK(phrase("n[1-3") == "\"n[1-3\" has an unclosed [");
    CHECK(phrase("n1-3]") == "\"n1-3]\" has a stray ]");
    CHECK(phrase("n[1-3]]") == "\"n[1-3]]\" has a stray ]");
    CHECK(phrase("n[1[2]]") == "\"n[1[2]]\" has a [ inside of [ ]");

    const auto content = GENERATE("a-c", "1-", "-5", "1--5", "1-2-3", "1,", ",1", "1,,2", "1 - 3",
                                  " 1", "+1", "0x1", "1.5", "5/2", "1-9/", "1-9/-1", "1-9/2/2",
                                  "1-9999999999999999999", "1-18446744073709551615");
    CHECK(phrase("n[" + std::string{content} + "]") ==
          "range \"[" + std::string{content} +
              "]\" is not made of numbers such as 1-8, 001-128 or 0-10/2");
}

TEST_CASE("an expression names at most 65536 hosts") {
    CHECK(expanded("n[1-65536]").size() == 65536);
    CHECK(expanded("n[1-256]x[1-256]").size() == 65536);
    const auto expression =
        GENERATE("n[1-65537]", "n[0-999999999999999999]", "n[1-256]x[1-257]", "n[1-65536]x[1-2]",
                 "n[1-60000,1-60000]", "[1-9999][1-9999][1-9999][1-9999][1-9999][1-9999]");
    CHECK(phrase(expression) == "\"" + std::string{expression} +
                                    "\" names more than 65536 hosts, the most that are accepted");
}

TEST_CASE("a long literal is not copied into thousands of names") {
    const std::string literal(256, 'x');
    CHECK_THAT(phrase(literal + "[1-65536]"), ContainsSubstring("is longer than 255 characters"));
    CHECK_THAT(phrase("n[1-65536]" + literal), ContainsSubstring("is longer than 255 characters"));
}

TEST_CASE("an unreadable range is quoted short and safe") {
    const std::string message = phrase("n[\x1b[31m" + std::string(5000, 'x'));
    CHECK(message.size() < 200);
    CHECK(message.find('\x1b') == std::string::npos);
}

TEST_CASE("a list splits at its commas but not inside of brackets") {
    CHECK(split_host_list("a") == Names{"a"});
    CHECK(split_host_list("a,b") == Names{"a", "b"});
    CHECK(split_host_list("n[1,3-5],b") == Names{"n[1,3-5]", "b"});
    CHECK(split_host_list(" a , b\t") == Names{"a", "b"});
    CHECK(split_host_list("n[1,2") == Names{"n[1,2"});
    CHECK(split_host_list("n1],b") == Names{"n1]", "b"});
}

TEST_CASE("an empty part of a list is kept, for its reader to refuse") {
    CHECK(split_host_list("") == Names{""});
    CHECK(split_host_list("a,,b,") == Names{"a", "", "b", ""});
}
