// gpumuster's promises to shells and scripts: exit statuses, streams, interruption.

#include <signal.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include <chrono>
#include <filesystem>

#include "support/catch.hpp"
#include "support/components.hpp"
#include "support/fake_smi.hpp"
#include "support/program.hpp"
#include "support/schema.hpp"
#include "support/temp_dir.hpp"

using namespace gpumuster::test;
using nlohmann::json;

namespace {

ProgramOrder order_for(std::vector<std::string> arguments, const TempDir& home) {
    ProgramOrder order;
    order.argv = {gpumuster_program()};
    order.argv.insert(order.argv.end(), arguments.begin(), arguments.end());
    order.environment["HOME"] = home.path();
    order.environment["GPUMUSTER_INVENTORY"] = "";
    order.environment["XDG_CONFIG_HOME"] = home.path();
    return order;
}

// gpumuster-sim as a user starts it.
class Simulator {
public:
    explicit Simulator(const std::string& scenario) {
        ProgramOrder order;
        const std::string file = folder_.write("scenario.yaml", scenario);
        order.argv = {simulator_program(), "--scenario", file, "--state-dir",
                      folder_.file("state")};
        std::filesystem::create_directory(folder_.file("state"));
        program_ =
            std::make_unique<BackgroundProgram>(order, folder_.file("out"), folder_.file("err"));
        if (!wait_for_text(folder_.file("out"), "ready", *program_)) {
            throw std::runtime_error("the simulator does not start: " +
                                     read_file(folder_.file("err")));
        }
    }
    const TempDir& folder() const { return folder_; }
    std::string inventory() const { return folder_.file("state/inventory.yaml"); }
    ProgramResult check(std::vector<std::string> arguments) const {
        arguments.insert(arguments.begin(), {"-i", inventory()});
        return run_program(order_for(arguments, folder_));
    }

private:
    TempDir folder_;
    std::unique_ptr<BackgroundProgram> program_;
};

}  // namespace

TEST_CASE("the exit status says what became of the fleet") {
    const Simulator fleet(
        "hosts:\n"
        "  good[1-3]: {state: clean}\n"
        "  held1: {state: held}\n"
        "  old1: {state: field_refused}\n"
        "  gone1: {state: refused_port}\n");
    CHECK(fleet.check({"good[1-3]"}).status == 0);
    CHECK(fleet.check({"good1", "held1", "gone1"}).status == 1);
    CHECK(fleet.check({"good1", "old1"}).status == 2);
    CHECK(fleet.check({"good1", "gone1"}).status == 2);
    CHECK(fleet.check({"-x", "held1,old1,gone1"}).status == 0);
    CHECK(fleet.check({"--no-such-flag"}).status == 3);
}

TEST_CASE("a mistake is one line on stderr, status 3, and nothing is contacted") {
    const TempDir home;
    struct Case {
        std::vector<std::string> arguments;
        std::string line;
    };
    const Case mistake =
        GENERATE(Case{{"--prot", "22", "node1"}, R"(did you mean "--port"?)"},
                 Case{{"-p", "70000", "node1"}, "70000"},
                 Case{{"--command-timeout", "10", "node1"}, "a duration such as"},
                 Case{{"-o", "yaml", "node1"}, "json"},
                 Case{{"-i", "/nonexistent/fleet.yaml"}, "/nonexistent/fleet.yaml"},
                 Case{{"-J", "a,,b", "node1"}, "a,,b"},
                 Case{{"--identity", "/nonexistent/key", "node1"}, "/nonexistent/key"});
    const ProgramResult result = run_program(order_for(mistake.arguments, home));
    INFO(result.err);
    CHECK(result.status == 3);
    CHECK(result.out.empty());
    CHECK(result.err.starts_with("gpumuster: "));
    CHECK(std::count(result.err.begin(), result.err.end(), '\n') == 1);
    CHECK_THAT(result.err, ContainsSubstring(mistake.line));
}

TEST_CASE("every error of an inventory is reported with its place") {
    const TempDir home;
    const std::string inventory = home.write("fleet.yaml",
                                             "hosts:\n"
                                             "  node07: {port: 70000}\n"
                                             "  node08: {usr: anna}\n"
                                             "  node09: {jump: \"b:x\"}\n");
    const ProgramResult result = run_program(order_for({"-i", inventory}, home));
    CHECK(result.status == 3);
    CHECK_THAT(result.err, ContainsSubstring("fleet.yaml:2:"));
    CHECK_THAT(result.err, ContainsSubstring("70000"));
    CHECK_THAT(result.err, ContainsSubstring("fleet.yaml:3:"));
    CHECK_THAT(result.err, ContainsSubstring(R"(did you mean "user"?)"));
    CHECK_THAT(result.err, ContainsSubstring("fleet.yaml:4:"));
    CHECK(std::count(result.err.begin(), result.err.end(), '\n') == 3);
}

TEST_CASE("gpumuster alone says what to type next") {
    const TempDir home;
    const ProgramResult result = run_program(order_for({}, home));
    CHECK(result.status == 3);
    CHECK(std::count(result.out.begin(), result.out.end(), '\n') == 5);
}

TEST_CASE("hosts prints what would be inspected and contacts nothing") {
    const Simulator fleet("hosts:\n  good[1-3]: {state: clean}\n");
    ProgramOrder order = order_for({"hosts", "-i", fleet.inventory()}, fleet.folder());
    const ProgramResult table = run_program(order);
    CHECK(table.status == 0);
    CHECK_THAT(table.out, ContainsSubstring("good2"));
    CHECK_THAT(table.out, ContainsSubstring("127.0.0.1"));
    order.argv.insert(order.argv.end(), {"-o", "json"});
    const json hosts = json::parse(run_program(order).out);
    CHECK(hosts.size() == 3);
}

TEST_CASE("the inventory may come from standard input") {
    const Simulator fleet("hosts:\n  good[1-3]: {state: clean}\n");
    ProgramOrder order = order_for({"-i", "-", "good2"}, fleet.folder());
    order.input = read_file(fleet.inventory());
    const ProgramResult result = run_program(order);
    INFO(result.err);
    CHECK(result.status == 0);
    CHECK(result.out.starts_with("clean   good2"));
}

TEST_CASE("the JSON report of a mixed fleet keeps to its schema") {
    if (schema_validator_missing()) return;
    const Simulator fleet(read_file(GPUMUSTER_SOURCE_DIR "/configs/scenarios/try.yaml"));
    const ProgramResult result = fleet.check({"-o", "json", "--command-timeout", "3s"});
    CHECK(result.status == 1);
    CHECK(report_schema_violations(result.out) == "");
    const json report = json::parse(result.out);
    CHECK(report.at("schema") == "gpumuster/report/1");
    CHECK(report.at("hosts").size() == report.at("summary").at("hosts"));
}

TEST_CASE("an interrupted run prints what is known and ends with 130") {
    const Simulator fleet(
        "hosts:\n"
        "  good1: {state: clean}\n"
        "  silent1: {state: silent}\n"
        "  hung1: {state: hung}\n");
    const TempDir folder;
    ProgramOrder order = order_for(
        {"-i", fleet.inventory(), "-o", "json", "-v", "--connect-timeout", "60s"}, fleet.folder());
    BackgroundProgram program(order, folder.file("out"), folder.file("err"));
    REQUIRE(wait_for_text(folder.file("err"), "good1", program));
    const auto interrupted = std::chrono::steady_clock::now();
    program.send_signal(SIGINT);
    CHECK(program.wait() == 130);
    CHECK(std::chrono::steady_clock::now() - interrupted < std::chrono::seconds(10));
    const json report = json::parse(read_file(folder.file("out")));
    CHECK(report.at("interrupted") == true);
    REQUIRE(report.at("hosts").size() == 3);
    for (const json& host : report.at("hosts")) {
        if (host.at("name") == "good1") continue;
        CHECK(host.at("verdict") == "unreachable");
        CHECK(host.at("failure").at("kind") == "run.interrupted");
    }
}

TEST_CASE("a run that is out of time says so and still reports every host") {
    const Simulator fleet("hosts:\n  good1: {state: clean}\n  hung1: {state: hung}\n");
    const ProgramResult result = fleet.check({"--timeout", "3s", "-o", "json"});
    CHECK(result.status == 2);
    const json report = json::parse(result.out);
    CHECK(report.at("out_of_time") == true);
    CHECK(report.at("hosts").size() == 2);
    CHECK(report.at("hosts").at(1).at("failure").at("kind") == "run.out_of_time");
}

TEST_CASE("a reader that goes away is no crash") {
    const Simulator fleet("hosts:\n  good[001-200]: {state: clean}\n");
    ProgramOrder order;
    order.argv = {"sh", "-c",
                  "{ " + gpumuster_program() + " -i " + fleet.inventory() +
                      " -o json; echo status $? >&2; } | head -c 10 > /dev/null"};
    const ProgramResult result = run_program(order);
    CHECK(result.err == "status 0\n");
}

TEST_CASE("this machine is inspected without ssh") {
    const TempDir home;
    const TempDir bin;
    write_fake_smi(FakeSmi::with_memory({2, 2}), bin.path());
    ProgramOrder order = order_for({"--local"}, home);
    order.environment["PATH"] = bin.path() + ":/usr/bin:/bin";
    const ProgramResult result = run_program(order);
    INFO(result.out << result.err);
    CHECK(result.status == 0);
    CHECK(result.out.starts_with("clean "));
}

TEST_CASE("the version names every library") {
    const TempDir home;
    const ProgramResult result = run_program(order_for({"--version"}, home));
    CHECK(result.status == 0);
    for (const char* word : {"gpumuster 0.1.0", "libssh 0.10", "Asio", "yaml-cpp", "CLI11"}) {
        CHECK_THAT(result.out, ContainsSubstring(word));
    }
}
