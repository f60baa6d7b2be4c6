#include "apps/gpumuster/progress_line.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <string>

#include "support/catch.hpp"

using namespace gpumuster;
using namespace std::chrono_literals;

namespace {

// A terminal made of a pipe; only what was drawn is of interest.
class Screen {
public:
    Screen() {
        REQUIRE(pipe(ends_.data()) == 0);
        REQUIRE(fcntl(ends_[0], F_SETFL, O_NONBLOCK) == 0);
    }
    ~Screen() {
        close(ends_[0]);
        close(ends_[1]);
    }
    Screen(const Screen&) = delete;
    Screen& operator=(const Screen&) = delete;

    int descriptor() const { return ends_[1]; }

    std::string text() const {
        std::array<char, 4096> buffer{};
        const ssize_t count = read(ends_[0], buffer.data(), buffer.size());
        return {buffer.data(), count > 0 ? static_cast<std::size_t>(count) : 0};
    }

private:
    std::array<int, 2> ends_{};
};

HostReport report_of(Verdict verdict) {
    HostReport report;
    report.verdict.verdict = verdict;
    return report;
}

}  // namespace

TEST_CASE("progress is a count of hosts, and of those that are not clean") {
    CHECK(progress_text(0, 64, 0) == "0/64 hosts");
    CHECK(progress_text(12, 64, 2) == "12/64 hosts, 2 not clean");
    CHECK(progress_text(0, 1, 0) == "0/1 host");
}

TEST_CASE("a quick run shows no progress and clears none") {
    const Screen screen;
    {
        ProgressLine line(screen.descriptor(), 2, 1h);
        line.host_done(report_of(Verdict::clean), 1, 2);
        line.host_done(report_of(Verdict::busy), 2, 2);
    }
    CHECK(screen.text().empty());
}

TEST_CASE("a longer run shows a line that is overwritten and gone at its end") {
    const Screen screen;
    {
        ProgressLine line(screen.descriptor(), 2, 0ms);
        line.host_done(report_of(Verdict::busy), 1, 2);
        line.host_done(report_of(Verdict::clean), 2, 2);
    }
    const std::string text = screen.text();
    CHECK_THAT(text, ContainsSubstring("\r1/2 hosts, 1 not clean"));
    CHECK_THAT(text, ContainsSubstring("\r2/2 hosts, 1 not clean"));
    const std::string blanks(std::string("2/2 hosts, 1 not clean").size(), ' ');
    REQUIRE(text.size() > blanks.size() + 2);
    CHECK(text.substr(text.size() - blanks.size() - 2) == "\r" + blanks + "\r");
}
