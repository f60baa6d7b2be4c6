#include "gpumuster/report/memory_text.hpp"

#include "report/samples.hpp"
#include "support/catch.hpp"

namespace gpumuster {
namespace {

std::string text_of(const std::vector<std::optional<std::int64_t>>& used_mib) {
    return memory_text(test::h100s(used_mib), 100);
}

}  // namespace

TEST_CASE("idle GPUs are one value or one range") {
    CHECK(text_of({2, 2, 2, 2, 2, 2, 2, 2}) == "2");
    CHECK(text_of({0, 3, 1, 0}) == "0–3");
    CHECK(text_of({100, 4}) == "4–100");
    CHECK(text_of({0}) == "0");
    CHECK(text_of({}) == "");
}

TEST_CASE("a GPU above the floor stands apart") {
    CHECK(text_of({1523, 3, 3, 3, 3, 3, 3, 3}) == "0: 1523 · 1–7: 3");
    CHECK(text_of({0, 2, 1523, 1}) == "0–1,3: 0–2 · 2: 1523");
    CHECK(text_of({101, 100}) == "0: 101 · 1: 100");
    CHECK(text_of({1523}) == "1523");
}

TEST_CASE("equal GPUs above the floor are one group, wherever they are") {
    CHECK(text_of({74210, 74210, 74210, 74210, 0, 0, 0, 0}) == "0–3: 74210 · 4–7: 0");
    CHECK(text_of({74210, 0, 74210, 0}) == "0,2: 74210 · 1,3: 0");
    CHECK(text_of({74210, 74210}) == "74210");
}

TEST_CASE("many different values become a range, so that the line stays short") {
    CHECK(text_of({70001, 70002, 70003, 0}) == "0: 70001 · 1: 70002 · 2: 70003 · 3: 0");
    CHECK(text_of({70001, 70004, 70003, 70002, 0}) == "0–3: 70001–70004 · 4: 0");
    CHECK(text_of({70001, 70004, 70003, 70002, 70005}) == "70001–70005");
}

TEST_CASE("memory that was not given is a question mark, never zero") {
    CHECK(text_of({std::nullopt}) == "?");
    CHECK(text_of({std::nullopt, std::nullopt}) == "?");
    CHECK(text_of({0, std::nullopt, 0}) == "0,2: 0 · 1: ?");
}

TEST_CASE("indices are those of nvidia-smi") {
    auto gpus = test::h100s({0, 0, 0, 1523, 0});
    gpus.erase(gpus.begin() + 1);
    CHECK(memory_text(gpus, 100) == "0,2,4: 0 · 3: 1523");
}

TEST_CASE("the idle range asks every GPU for a value within the floor") {
    const auto range = idle_memory_range(test::h100s({5, 2, 9}), 9);
    REQUIRE(range.has_value());
    CHECK(range->low_mib == 2);
    CHECK(range->high_mib == 9);
    CHECK_FALSE(idle_memory_range(test::h100s({5, 2, 9}), 8));
    CHECK_FALSE(idle_memory_range(test::h100s({5, std::nullopt}), 100));
    CHECK_FALSE(idle_memory_range({}, 100));
}

}  // namespace gpumuster
