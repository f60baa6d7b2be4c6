#include "gpumuster/report/columns.hpp"

#include "report/samples.hpp"
#include "support/catch.hpp"

namespace gpumuster {
namespace {

std::string written(const std::vector<Align>& alignment, const std::vector<TableRow>& rows,
                    Colour colour = Colour::off) {
    Columns columns(alignment);
    for (const TableRow& row : rows) columns.measure(row);
    test::Text sink;
    for (const TableRow& row : rows) columns.write(row, colour, sink);
    return sink.text;
}

Cell spanning(std::string text, std::size_t span) {
    return {std::move(text), {}, span};
}

}  // namespace

using enum Align;

TEST_CASE("columns are as wide as their widest cell and two blanks apart") {
    CHECK(written(
              {left, right, left},
              {{{"HOST"}, {"GPU"}, {"MODEL"}}, {{"计算"}, {"11"}, {"A"}}, {{"é"}, {"2"}, {"B"}}}) ==
          "HOST  GPU  MODEL\n"
          "计算   11  A\n"
          "é       2  B\n");
}

TEST_CASE("a line never ends in blanks") {
    CHECK(written({left, left}, {{{"a"}, {"long"}}, {{"b"}, {""}}, {{""}, {""}}, {{"c"}}}) ==
          "a  long\nb\n\nc\n");
}

TEST_CASE("a cell may span columns, and what is wider than they are widens the last") {
    SECTION("narrow") {
        CHECK(written({left, left, left, left},
                      {{{"a"}, {"bbbb"}, {"cccc"}, {"d"}}, {{"e"}, spanning("hello", 2), {"f"}}}) ==
              "a  bbbb  cccc  d\n"
              "e  hello       f\n");
    }
    SECTION("wide, before or after the rows it stretches") {
        CHECK(written({left, left, left, left},
                      {{{"e"}, spanning("hello world", 2), {"f"}}, {{"a"}, {"b"}, {"c"}, {"d"}}}) ==
              "e  hello world  f\n"
              "a  b  c         d\n");
    }
}

TEST_CASE("colour surrounds the word and moves nothing") {
    const std::vector<TableRow> rows{{{"a"}, {"clean", Verdict::clean}, {"x"}},
                                     {{"b"}, {"unreachable", Verdict::unreachable}, {"y"}},
                                     {{"c"}, {"busy", Verdict::busy}, {"z"}}};
    CHECK(written({left, left, left}, rows, Colour::on) ==
          "a  \x1b[32mclean\x1b[0m        x\n"
          "b  \x1b[31munreachable\x1b[0m  y\n"
          "c  \x1b[33mbusy\x1b[0m         z\n");
    CHECK(written({left, left, left}, rows, Colour::off) ==
          "a  clean        x\n"
          "b  unreachable  y\n"
          "c  busy         z\n");
}

}  // namespace gpumuster
