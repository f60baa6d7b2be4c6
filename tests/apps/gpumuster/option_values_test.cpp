#include "apps/gpumuster/option_values.hpp"

#include <array>

#include "fixtures.hpp"
#include "support/catch.hpp"

using namespace gpumuster;
using namespace std::chrono_literals;
using gpumuster::test::refusal;

namespace {

const std::array<std::string, 2> formats{"table", "json"};

std::string number_refusal(const std::string& text) {
    return refusal([&] { number_value("--port", text, 1, 65'535); });
}
std::string duration_refusal(const std::string& text) {
    return refusal([&] { duration_value("--timeout", text); });
}
std::string memory_refusal(const std::string& text) {
    return refusal([&] { memory_mib_value("--idle-memory", text); });
}
std::string choice_refusal(const std::string& text) {
    return refusal([&] { choice_value("--output", text, formats); });
}

}  // namespace

TEST_CASE("a number within its bounds is taken") {
    CHECK(number_value("--port", "1", 1, 65'535) == 1);
    CHECK(number_value("--port", "65535", 1, 65'535) == 65'535);
    CHECK(number_value("--expect-gpus", "0", 0, 64) == 0);
}

TEST_CASE("what is no number or out of bounds is refused with the bounds") {
    CHECK(number_refusal("99999") == "--port \"99999\": accepted is a number from 1 to 65535");
    const auto text = GENERATE("", "0", "-1", "65536", "22x", "x22", " 22", "22 ", "0x16", "+22",
                               "2.2", "99999999999999999999");
    CAPTURE(text);
    CHECK_THAT(number_refusal(text), ContainsSubstring("accepted is a number from 1 to 65535"));
}

TEST_CASE("a duration needs its unit, and the likely one is proposed") {
    CHECK(duration_value("--timeout", "1m30s") == 90s);
    CHECK(duration_refusal("10") ==
          "--timeout \"10\": accepted is a duration such as 500ms, 10s, 2m or 1h; "
          "did you mean \"10s\"?");
    CHECK_THAT(duration_refusal("10sec"), ContainsSubstring("did you mean \"10s\"?"));
    CHECK_THAT(duration_refusal("5min"), ContainsSubstring("did you mean \"5m\"?"));
    CHECK_THAT(duration_refusal("5 m"), ContainsSubstring("did you mean \"5m\"?"));
    CHECK_THAT(duration_refusal("2hours"), ContainsSubstring("did you mean \"2h\"?"));
    CHECK_THAT(duration_refusal("250msec"), ContainsSubstring("did you mean \"250ms\"?"));
}

TEST_CASE("no duration is proposed for what cannot be one") {
    const auto text = GENERATE("", "s", "0", "0s", "-5s", "soon", "99999h", "1d");
    CAPTURE(text);
    CHECK(duration_refusal(text) == "--timeout \"" + std::string(text) +
                                        "\": accepted is a duration such as 500ms, 10s, 2m or 1h");
}

TEST_CASE("a size needs its unit, and the likely one is proposed") {
    CHECK(memory_mib_value("--idle-memory", "2GiB") == 2'048);
    CHECK(memory_mib_value("--idle-memory", "0MiB") == 0);
    CHECK(memory_refusal("100") ==
          "--idle-memory \"100\": accepted is a size such as 100MiB or 2GiB; "
          "did you mean \"100MiB\"?");
    CHECK_THAT(memory_refusal("100MB"), ContainsSubstring("did you mean \"100MiB\"?"));
    CHECK_THAT(memory_refusal("100 mib"), ContainsSubstring("did you mean \"100MiB\"?"));
    CHECK_THAT(memory_refusal("2G"), ContainsSubstring("did you mean \"2GiB\"?"));
    CHECK(memory_refusal("lots") ==
          "--idle-memory \"lots\": accepted is a size such as 100MiB or 2GiB");
}

TEST_CASE("a choice is one of its words, and the nearest is proposed") {
    CHECK(choice_value("--output", "table", formats) == 0);
    CHECK(choice_value("--output", "json", formats) == 1);
    CHECK(choice_refusal("yaml") == "--output \"yaml\": accepted is one of table, json");
    CHECK(choice_refusal("jsno") ==
          "--output \"jsno\": accepted is one of table, json; did you mean \"json\"?");
    CHECK(choice_refusal("JSON") ==
          "--output \"JSON\": accepted is one of table, json; did you mean \"json\"?");
    CHECK(choice_refusal("") == "--output \"\": accepted is one of table, json");
}

TEST_CASE("a user is a word that can be one") {
    CHECK(user_value("--user", "anna") == "anna");
    const auto text = GENERATE("", "-x", "an na", "anna\n", "a\x01");
    CAPTURE(text);
    CHECK_THAT(refusal([&] { user_value("--user", text); }), ContainsSubstring("--user \""));
}

TEST_CASE("jump hosts are taken as ssh -J takes them") {
    CHECK(jump_value("--jump", "a,ops@b:2222").size() == 2);
    CHECK(jump_value("--jump", "none").empty());
    CHECK(refusal([] { jump_value("--jump", "a,b:x"); }) ==
          "--jump \"a,b:x\": hop \"b:x\": port \"x\" is not a number in 1-65535; accepted is "
          "[USER@]HOST[:PORT], several with commas in the order in which they are passed, or none");
}

TEST_CASE("a container is a number of Proxmox or a name of docker") {
    CHECK(pct_value("--pct", "129").kind == ContainerEntry::Kind::pct);
    CHECK(pct_value("--pct", "129").name == "129");
    CHECK(docker_value("--docker", "web").kind == ContainerEntry::Kind::docker);
    CHECK(docker_value("--docker", "web").name == "web");
    CHECK(refusal([] { pct_value("--pct", "99"); }) ==
          "--pct \"99\": accepted is a number from 100 to 999999999");
    CHECK(refusal([] { docker_value("--docker", "w b"); }) ==
          "--docker \"w b\" is no name of a container: letters, digits, '_', '.', '-', the first a "
          "letter or a digit");
}

TEST_CASE("a file has a name") {
    CHECK(file_value("--identity", "-") == "-");
    CHECK(refusal([] { file_value("--identity", ""); }) ==
          "--identity \"\": accepted is the name of a file");
}

TEST_CASE("a value in a message cannot break the line or the terminal") {
    CHECK_THAT(number_refusal("1\n2\x1b[31m"), ContainsSubstring("--port \"1 2\\x1b[31m\""));
}
