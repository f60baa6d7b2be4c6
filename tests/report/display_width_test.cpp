#include "gpumuster/report/display_width.hpp"

#include "support/catch.hpp"

namespace gpumuster {

TEST_CASE("text takes the columns that a terminal gives it") {
    CHECK(display_width("") == 0);
    CHECK(display_width("node07") == 6);
    CHECK(display_width("8 × H100, 0–2 MiB · → °C …") == 26);
    CHECK(display_width("grün") == 4);
    CHECK(display_width("计算节点") == 8);
    CHECK(display_width("ノード1") == 7);
    CHECK(display_width("サーバ") == 6);
    CHECK(display_width("서버") == 4);
    CHECK(display_width("🚀x") == 3);
}

TEST_CASE("a combining mark takes no column of its own") {
    CHECK(display_width("gru\u0308n") == 4);
    CHECK(display_width("a\u200db") == 2);
}

TEST_CASE("letters beside the wide blocks are narrow") {
    CHECK(display_width("\u10ff\u1160") == 2);
    CHECK(display_width("\uff61") == 1);  // half-width full stop
    CHECK(display_width("\uff01") == 2);  // full-width exclamation mark
}

}  // namespace gpumuster
