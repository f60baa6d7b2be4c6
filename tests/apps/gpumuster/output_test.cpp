#include "apps/gpumuster/output.hpp"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <string>
#include <thread>

#include "apps/gpumuster/process_setup.hpp"
#include "gpumuster/transport/loop/unique_fd.hpp"
#include "support/catch.hpp"

using namespace gpumuster;

namespace {

struct Pipe {
    Pipe() {
        std::array<int, 2> ends{};
        REQUIRE(pipe(ends.data()) == 0);
        reader.reset(ends[0]);
        writer.reset(ends[1]);
    }
    UniqueFd reader, writer;
};

std::string read_all(int descriptor) {
    std::string text;
    std::array<char, 4096> buffer{};
    for (ssize_t count = 0; (count = read(descriptor, buffer.data(), buffer.size())) > 0;) {
        text.append(buffer.data(), static_cast<std::size_t>(count));
    }
    return text;
}

}  // namespace

TEST_CASE("what was written arrives at the latest when the output is finished") {
    Pipe pipe;
    Output output(pipe.writer.get());
    output.write("one ");
    output.write("two");
    CHECK(output.finish(1) == 1);
    pipe.writer.reset();
    CHECK(read_all(pipe.reader.get()) == "one two");
}

TEST_CASE("a reader that goes away is no error and changes no exit status") {
    ignore_broken_pipes();
    Pipe pipe;
    pipe.reader.reset();
    Output output(pipe.writer.get());
    for (int i = 0; i < 3; ++i) output.write(std::string(100'000, 'x'));
    CHECK(output.finish(0) == 0);
    Output another(pipe.writer.get());
    another.write("x");
    CHECK(another.finish(1) == 1);
}

TEST_CASE("a result that could not be written is an error") {
    const UniqueFd read_only(open("/dev/null", O_RDONLY));
    Output output(read_only.get());
    output.write("lost");
    CHECK(output.finish(0) == 2);
}

TEST_CASE("a full disk is an error") {
    const UniqueFd full(open("/dev/full", O_WRONLY));
    if (!full.is_open()) return;  // Linux has it
    Output output(full.get());
    output.write("lost");
    CHECK(output.finish(0) == 2);
}

TEST_CASE("a descriptor that somebody made non-blocking loses nothing") {
    Pipe pipe;
    REQUIRE(fcntl(pipe.writer.get(), F_SETFL, O_NONBLOCK) == 0);
    const std::string text(1'000'000, 'x');
    std::string arrived;
    std::thread reader([&] { arrived = read_all(pipe.reader.get()); });
    Output output(pipe.writer.get());
    output.write(text);
    const int status = output.finish(0);
    pipe.writer.reset();
    reader.join();
    CHECK(status == 0);
    CHECK(arrived.size() == text.size());
}
