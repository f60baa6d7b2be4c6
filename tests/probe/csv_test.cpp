#include "gpumuster/probe/csv.hpp"

#include <string>

#include "support/catch.hpp"

using namespace gpumuster;

TEST_CASE("lines end at LF or CRLF, and the last one says whether it was finished") {
    const auto lines = split_lines("0, 1 MiB\r\n\n1, 2");
    REQUIRE(lines.size() == 3);
    CHECK(lines[0].text == "0, 1 MiB");
    CHECK(lines[0].is_finished);
    CHECK(lines[1].text.empty());
    CHECK(lines[2].text == "1, 2");
    CHECK_FALSE(lines[2].is_finished);
    CHECK(split_lines("").empty());
    CHECK(split_lines("a\n").size() == 1);
}

TEST_CASE("cells are trimmed and a line always has one") {
    CHECK(split_cells("0,  2 MiB ,x").size() == 3);
    CHECK(split_cells("0,  2 MiB ,x")[1] == "2 MiB");
    CHECK(split_cells("").size() == 1);
    CHECK(split_cells("1,").size() == 2);
    CHECK(split_cells("1,")[1].empty());
}

TEST_CASE("joined cells keep the commas between them") {
    const std::string line = "0, a,  b, c ,d";
    const auto cells = split_cells(line);
    CHECK(join_cells(cells[1], cells[3]) == "a,  b, c");
    CHECK(join_cells(cells[1], cells[1]) == "a");
}

TEST_CASE("every spelling of an absent value is absent") {
    const std::string cell = GENERATE(
        as<std::string>{}, "", "[N/A]", "N/A", "n/a", "[Not Supported]", "Not Supported",
        "[Insufficient Permissions]", "[Unknown Error]", "[GPU requires reset]", "[GPU is lost]",
        "[Not Found]", "[Function Not Found]", "[Requested functionality has been deprecated]",
        "ERR!", "[something of next year]");
    CHECK(is_absent(cell));
}

TEST_CASE("a value is not absent because it resembles a token") {
    const std::string cell = GENERATE(as<std::string>{}, "0", "0 MiB", "N/A GPU", "[half", "half]",
                                      "P8", "NVIDIA H200", "Not Supported Board");
    CHECK_FALSE(is_absent(cell));
}

TEST_CASE("memory is read with its unit, without it, and in the spelling of old drivers") {
    CHECK(parse_mib("2 MiB") == 2);
    CHECK(parse_mib("0 MiB") == 0);
    CHECK(parse_mib("143771") == 143771);
    CHECK(parse_mib("14MB") == 14);
    CHECK(parse_mib("0 MIB") == 0);
}

TEST_CASE("what is no number of MiB is no value, never zero") {
    const std::string cell = GENERATE(
        as<std::string>{}, "", "MiB", "-1 MiB", "1.5 MiB", "2 GiB", "0x10", "2 MiB MiB", "+2",
        "1 523 MiB", "99999999999999999999 MiB", "9223372036854775807 MiB", "[N/A]", "two MiB");
    CHECK_FALSE(parse_mib(cell));
}

TEST_CASE("utilisation is a whole percentage up to 100") {
    CHECK(parse_percent("0 %") == 0);
    CHECK(parse_percent("100") == 100);
    CHECK_FALSE(parse_percent("101 %"));
    CHECK_FALSE(parse_percent("-1 %"));
    CHECK_FALSE(parse_percent("%"));
}

TEST_CASE("temperature is whole degrees in a sane range") {
    CHECK(parse_celsius("28") == 28);
    CHECK(parse_celsius("28 C") == 28);
    CHECK(parse_celsius("-5") == -5);
    CHECK_FALSE(parse_celsius("4000"));
    CHECK_FALSE(parse_celsius("C"));
}

TEST_CASE("search and comparison ignore the case of ASCII letters only") {
    CHECK(contains_ignoring_case("Driver/Library Version Mismatch", "version mismatch"));
    CHECK_FALSE(contains_ignoring_case("version", "version mismatch"));
    CHECK(contains_ignoring_case("", ""));
    CHECK(find_ignoring_case("xxGPU", "gpu") == 2);
    CHECK(equals_ignoring_case("N/A", "n/a"));
    CHECK_FALSE(equals_ignoring_case("N/A", "n/a "));
    CHECK_FALSE(equals_ignoring_case("@", "`"));
}
