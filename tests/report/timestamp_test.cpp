#include "gpumuster/report/timestamp.hpp"

#include "report/samples.hpp"
#include "support/catch.hpp"

namespace gpumuster {

using namespace std::chrono_literals;

TEST_CASE("a time is written in UTC with milliseconds") {
    CHECK(format_timestamp(test::morning) == "2026-03-01T09:05:00.250Z");
    CHECK(format_timestamp(std::chrono::system_clock::time_point{}) == "1970-01-01T00:00:00.000Z");
    CHECK(format_timestamp(std::chrono::sys_days{std::chrono::year{2028} / 2 / 29} + 23h + 59min +
                           59s + 999ms) == "2028-02-29T23:59:59.999Z");
}

TEST_CASE("parts of a millisecond are cut off") {
    CHECK(format_timestamp(test::morning + 999us) == "2026-03-01T09:05:00.250Z");
    CHECK(format_timestamp(test::morning - 1us) == "2026-03-01T09:05:00.249Z");
}

}  // namespace gpumuster
