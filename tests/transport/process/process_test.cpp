#include "gpumuster/transport/process/process.hpp"

#include <sys/types.h>
#include <unistd.h>

#include "support/catch.hpp"
#include "support/run_on_loop.hpp"

using namespace gpumuster;
using namespace std::chrono_literals;

namespace {

ProcessOrder shell(const std::string& script) {
    ProcessOrder order;
    order.argv = {"/bin/sh", "-c", script};
    order.deadline = std::chrono::steady_clock::now() + 30s;
    order.output_cap_bytes = 1 << 20;
    return order;
}

CommandOutput run(ProcessOrder order) {
    asio::io_context context;
    auto output = test::run_on(context, run_process(std::move(order)));
    REQUIRE(output.has_value());
    return std::move(*output);
}

}  // namespace

TEST_CASE("a child has our environment with what is set on top of it") {
    REQUIRE(::setenv("GPUMUSTER_TEST_KEPT", "kept", 1) == 0);
    REQUIRE(::setenv("GPUMUSTER_TEST_SET", "before", 1) == 0);
    ProcessOrder order = shell("echo $GPUMUSTER_TEST_KEPT $GPUMUSTER_TEST_SET $GPUMUSTER_TEST_NEW");
    order.surroundings.environment = {{"GPUMUSTER_TEST_SET", "after"},
                                      {"GPUMUSTER_TEST_NEW", "new"}};
    CHECK(run(std::move(order)).out == "kept after new\n");
    CHECK(std::string(::getenv("GPUMUSTER_TEST_SET")) == "before");
    ::unsetenv("GPUMUSTER_TEST_KEPT");
    ::unsetenv("GPUMUSTER_TEST_SET");
}

TEST_CASE("a child without a terminal leads a session and a group of its own") {
    ProcessOrder order = shell("echo $$ $(ps -o sid= -o pgid= -p $$)");
    order.surroundings.terminal = Terminal::none;
    std::istringstream words(run(std::move(order)).out);
    pid_t pid = 0;
    pid_t session = 1;
    pid_t group = 1;
    words >> pid >> session >> group;
    CHECK(pid != 0);
    CHECK(session == pid);
    CHECK(group == pid);
}

TEST_CASE("a child that shares our terminal stays in our session, in a group of its own") {
    std::istringstream words(run(shell("echo $$ $(ps -o sid= -o pgid= -p $$)")).out);
    pid_t pid = 0;
    pid_t session = 1;
    pid_t group = 1;
    words >> pid >> session >> group;
    CHECK(session == ::getsid(0));
    CHECK(group == pid);
}

TEST_CASE("standard error is handed on as it comes and may move the deadline") {
    ProcessOrder order = shell("echo one >&2; echo out; echo two >&2; exec sleep 600");
    std::string heard;
    order.on_err = [&heard](std::string_view bytes, Deadline& deadline) {
        heard += bytes;
        if (heard == "one\ntwo\n") deadline = std::chrono::steady_clock::now() + 100ms;
    };
    const CommandOutput output = run(std::move(order));
    CHECK(output.ending == Ending::deadline);
    CHECK(output.out == "out\n");
    CHECK(output.err == heard);
    CHECK(heard == "one\ntwo\n");
}
