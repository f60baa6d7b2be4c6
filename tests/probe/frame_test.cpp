#include "gpumuster/probe/frame.hpp"

#include "support/catch.hpp"

using namespace gpumuster;

namespace {

const std::string marker = "00112233aabbccdd";

std::string section_text(const std::string& name, const std::string& text, int status) {
    return section_begin(marker, name) + text + section_end(marker, name, status);
}

}  // namespace

TEST_CASE("a frame gives back each section as its command printed it") {
    const std::string out = "\n" + section_text("session", "0\n", 0) +
                            section_text("gpus", "0, 2 MiB\n1, 3 MiB\n", 15) + frame_done(marker);
    const std::string err =
        "\n" + section_text("session", "", 0) + section_text("gpus", "a warning\n", 15);
    const Frame frame = read_frame(out, err, marker);
    CHECK(frame.seen);
    CHECK(frame.complete);
    REQUIRE(frame.sections.size() == 2);
    REQUIRE(frame.find("gpus") != nullptr);
    CHECK(frame.find("gpus")->out == "0, 2 MiB\n1, 3 MiB\n");
    CHECK(frame.find("gpus")->err == "a warning\n");
    CHECK(frame.find("gpus")->exit_status == 15);
    CHECK(frame.find("session")->out == "0\n");
    CHECK(frame.find("session")->err.empty());
    CHECK(frame.find("processes") == nullptr);
}

TEST_CASE("the lines of a frame are what the script prints") {
    CHECK(section_begin("m", "gpus") == "m begin gpus\n");
    CHECK(section_end("m", "gpus", 124) == "\nm end gpus 124\n");
    CHECK(frame_done("m") == "m done\n");
}

TEST_CASE("exactly the line break that the frame adds is taken off") {
    const auto body = [](const std::string& text) {
        const Frame frame = read_frame(section_text("gpus", text, 0), "", marker);
        return frame.find("gpus")->out;
    };
    CHECK(body("no end") == "no end");
    CHECK(body("one end\n") == "one end\n");
    CHECK(body("two ends\n\n") == "two ends\n\n");
    CHECK(body("").empty());
    CHECK(body("\n") == "\n");
    CHECK(body(std::string("a\0b\n", 4)) == std::string("a\0b\n", 4));
}

TEST_CASE("a pseudo-terminal's CRLF and merged streams do not hide the frame") {
    const std::string out = "banner\r\n" + marker + " begin gpus\r\n" + marker +
                            " begin gpus\r\n0, 2 MiB\r\n\r\n" + marker + " end gpus 0\r\n\r\n" +
                            marker + " end gpus 0\r\n" + marker + " done\r\n";
    const Frame frame = read_frame(out, "", marker);
    CHECK(frame.complete);
    REQUIRE(frame.sections.size() == 1);
    CHECK(frame.sections[0].out == "0, 2 MiB\r\n");
    CHECK(frame.sections[0].exit_status == 0);
    CHECK_THAT(frame.noise, ContainsSubstring("banner"));
}

TEST_CASE("a section whose end never came keeps what came") {
    const Frame frame = read_frame(
        section_text("session", "0\n", 0) + section_begin(marker, "gpus") + "0, 0 MiB\n1, ", "",
        marker);
    CHECK(frame.seen);
    CHECK_FALSE(frame.complete);
    REQUIRE(frame.find("gpus") != nullptr);
    CHECK(frame.find("gpus")->out == "0, 0 MiB\n1, ");
    CHECK_FALSE(frame.find("gpus")->exit_status);
}

TEST_CASE("a section that is followed by the next one without its end has no status") {
    const Frame frame =
        read_frame(section_begin(marker, "driver") + "x\n" + section_text("gpus", "0, 0 MiB\n", 0),
                   "", marker);
    REQUIRE(frame.sections.size() == 2);
    CHECK_FALSE(frame.find("driver")->exit_status);
    CHECK(frame.find("gpus")->exit_status == 0);
}

TEST_CASE("what stands outside of sections is noise of both streams") {
    const Frame frame = read_frame("Welcome to gpu node 7\n" + section_text("gpus", "x\n", 0) +
                                       frame_done(marker) + "logout\n",
                                   "stty: not a terminal\n", marker);
    CHECK(frame.noise == "Welcome to gpu node 7\nlogout\nstty: not a terminal\n");
    CHECK(frame.find("gpus")->out == "x\n");
}

TEST_CASE("an answer without a marker is no frame, all of it is noise") {
    const Frame frame = read_frame("0, 2 MiB\n", "bash: fork: no\n", marker);
    CHECK_FALSE(frame.seen);
    CHECK_FALSE(frame.complete);
    CHECK(frame.sections.empty());
    CHECK(frame.noise == "0, 2 MiB\nbash: fork: no\n");
    CHECK_FALSE(read_frame("", "", marker).seen);
}

TEST_CASE("lines that only resemble a marker line are content") {
    const std::string likeness =
        GENERATE_COPY("+ echo " + marker + " begin processes", " " + marker + " end gpus 0", marker,
                      marker + " begin", marker + " begin GPUS!", marker + " doneness",
                      marker + " stop gpus", "00112233aabbccde end gpus 0", marker + "x done");
    const Frame frame = read_frame(section_text("gpus", likeness + "\n", 3), "", marker);
    REQUIRE(frame.sections.size() == 1);
    CHECK(frame.find("gpus")->out == likeness + "\n");
    CHECK(frame.find("gpus")->exit_status == 3);
}

TEST_CASE("an end line without a readable status ends the section without one") {
    const std::string end = GENERATE(as<std::string>{}, " end gpus", " end gpus ", " end gpus x",
                                     " end gpus 256", " end gpus -1", " end gpus 0 0");
    const Frame frame = read_frame(
        section_begin(marker, "gpus") + "0, 0 MiB\n\n" + marker + end + "\nnoise\n", "", marker);
    REQUIRE(frame.find("gpus") != nullptr);
    CHECK_FALSE(frame.find("gpus")->exit_status);
    CHECK(frame.find("gpus")->out == "0, 0 MiB\n");
    CHECK(frame.noise == "noise\n");
}

TEST_CASE("of a frame that was printed twice the first whole section stands") {
    const std::string once = section_text("gpus", "0, 2 MiB\n", 0) + frame_done(marker);
    const Frame doubled = read_frame(once + once, "", marker);
    REQUIRE(doubled.sections.size() == 1);
    CHECK(doubled.find("gpus")->out == "0, 2 MiB\n");

    const Frame torn_first =
        read_frame(section_begin(marker, "gpus") + "0, 9\n" + once, "", marker);
    REQUIRE(torn_first.sections.size() == 1);
    CHECK(torn_first.find("gpus")->out == "0, 2 MiB\n");
    CHECK(torn_first.find("gpus")->exit_status == 0);
}

TEST_CASE("a section that only standard error knows is seen, without a status") {
    const Frame frame = read_frame("", section_text("gpus", "cannot write\n", 1), marker);
    CHECK(frame.seen);
    REQUIRE(frame.find("gpus") != nullptr);
    CHECK(frame.find("gpus")->err == "cannot write\n");
    CHECK(frame.find("gpus")->out.empty());
    CHECK_FALSE(frame.find("gpus")->exit_status);
}

TEST_CASE("a flood of sections is bounded, the first ones stand") {
    std::string out;
    for (int i = 0; i < 500; ++i) out += section_text("s" + std::to_string(i), "x\n", 0);
    const Frame frame = read_frame(out, out, marker);
    CHECK(frame.sections.size() == 64);
    CHECK(frame.find("s0") != nullptr);
    CHECK(frame.find("s499") == nullptr);
}

TEST_CASE("an empty marker finds no frame") {
    CHECK_FALSE(read_frame(" begin gpus\n done\n", "", "").seen);
}
