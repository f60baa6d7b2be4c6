#include "gpumuster/base/units.hpp"

#include "support/catch.hpp"

using namespace gpumuster;
using namespace std::chrono_literals;

TEST_CASE("a duration is numbers with units, from large to small") {
    CHECK(parse_duration("250ms") == 250ms);
    CHECK(parse_duration("10s") == 10s);
    CHECK(parse_duration("2m") == 2min);
    CHECK(parse_duration("1h") == 1h);
    CHECK(parse_duration("1m30s") == 90s);
    CHECK(parse_duration("1h2m3s4ms") == 1h + 2min + 3s + 4ms);
    CHECK(parse_duration("0m5s") == 5s);
    CHECK(parse_duration("24h") == 24h);
    CHECK(parse_duration("007s") == 7s);
}

TEST_CASE("what is no duration is refused") {
    const auto text =
        GENERATE("", "10", "s", "ms", "0s", "0", "-1s", "+1s", "1.5s", "10 s", " 10s", "10s ",
                 "10S", "1d", "1sec", "30s1m", "1s1s", "1ms5", "24h1ms", "25h",
                 "99999999999999999999s", "1h99999999999999999999s", "1m-30s", "1e3s");
    CAPTURE(text);
    CHECK_FALSE(parse_duration(text).has_value());
}

TEST_CASE("a size is a number with a binary unit, in whole MiB") {
    CHECK(parse_memory_mib("100MiB") == 100);
    CHECK(parse_memory_mib("2GiB") == 2048);
    CHECK(parse_memory_mib("1TiB") == 1'048'576);
    CHECK(parse_memory_mib("512KiB") == 0);
    CHECK(parse_memory_mib("2047KiB") == 1);
    CHECK(parse_memory_mib("2048KiB") == 2);
    CHECK(parse_memory_mib("0MiB") == 0);
}

TEST_CASE("what is no size is refused") {
    const auto text =
        GENERATE("", "100", "MiB", "-1MiB", "+1MiB", "100MB", "100M", "100mib", "1.5GiB", "100 MiB",
                 " 100MiB", "100MiB ", "100MiBs", "99999999999999999999MiB");
    CAPTURE(text);
    CHECK_FALSE(parse_memory_mib(text).has_value());
}

TEST_CASE("a duration reads as a person would say it") {
    CHECK(format_duration(0us) == "0 ms");
    CHECK(format_duration(-5s) == "0 ms");
    CHECK(format_duration(85ms) == "85 ms");
    CHECK(format_duration(999'400us) == "999 ms");
    CHECK(format_duration(999'600us) == "1 s");
    CHECK(format_duration(1'440ms) == "1.4 s");
    CHECK(format_duration(1'450ms) == "1.5 s");
    CHECK(format_duration(10s) == "10 s");
    CHECK(format_duration(59'949ms) == "59.9 s");
    CHECK(format_duration(59'960ms) == "1 min");
    CHECK(format_duration(125s) == "2 min 5 s");
    CHECK(format_duration(3'599'600ms) == "1 h");
    CHECK(format_duration(3h + 12min) == "3 h 12 min");
    CHECK(format_duration(3h + 12min + 31s) == "3 h 13 min");
    CHECK(format_duration(50h) == "50 h");
}
