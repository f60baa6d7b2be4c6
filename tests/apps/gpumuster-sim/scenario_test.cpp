#include "gpumuster-sim/scenario.hpp"

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "gpumuster/base/input_error.hpp"
#include "support/catch.hpp"

using namespace gpumuster;
using namespace gpumuster::sim;
using namespace std::chrono_literals;

namespace {

Scenario load(const std::string& text) {
    return load_scenario(text, "fleet.yaml");
}

std::vector<std::string> errors_of(const std::string& text) {
    try {
        load(text);
    } catch (const InputError& error) {
        return error.lines();
    }
    return {};
}

}  // namespace

TEST_CASE("a scenario names hosts singly and in ranges") {
    const Scenario scenario = load(
        "latency: 20ms\n"
        "hosts:\n"
        "  node[08-10]: {state: clean}\n"
        "  gpu1: {state: busy, user: anna, command: \"python3 train.py --lr 1e-4\"}\n"
        "  far: {state: slow, latency: 400ms}\n"
        "  small: {state: missing_gpu, gpus: 4, expect_gpus: 4, missing_index: 2}\n");
    REQUIRE(scenario.hosts.size() == 6);
    CHECK(scenario.hosts[0].name == "node08");
    CHECK(scenario.hosts[2].name == "node10");
    CHECK(scenario.hosts[2].state == HostState::clean);
    CHECK(scenario.hosts[2].latency == 20ms);
    CHECK(scenario.hosts[2].gpus == 8);
    CHECK(scenario.hosts[3].state == HostState::busy);
    CHECK(scenario.hosts[3].user == "anna");
    CHECK(scenario.hosts[3].command == "python3 train.py --lr 1e-4");
    CHECK(scenario.hosts[4].latency == 400ms);
    CHECK(scenario.hosts[5].gpus == 4);
    CHECK(scenario.hosts[5].expected_gpus == 4);
    CHECK(scenario.hosts[5].missing_index == 2);
}

TEST_CASE("a host named alone wins over the range that holds it") {
    const std::string alone = "  node02: {state: held}\n";
    const std::string range = "  node[01-03]: {state: clean}\n";
    for (const std::string& hosts : {alone + range, range + alone}) {
        const Scenario scenario = load("hosts:\n" + hosts);
        REQUIRE(scenario.hosts.size() == 3);
        for (const SimulatedHost& host : scenario.hosts) {
            CAPTURE(host.name);
            CHECK((host.state == HostState::held) == (host.name == "node02"));
        }
    }
}

TEST_CASE("two ranges, or two lines, for the same host are refused") {
    CHECK(errors_of("hosts:\n  a[1-3]: {state: clean}\n  a[3-4]: {state: held}\n") ==
          std::vector<std::string>{"fleet.yaml:3: host \"a3\" is written twice"});
    CHECK(errors_of("hosts:\n  a: {state: clean}\n  a: {state: held}\n") ==
          std::vector<std::string>{"fleet.yaml:3: host \"a\" is written twice"});
}

TEST_CASE("every error of a scenario is told, with its line") {
    const auto errors = errors_of(
        "latency: fast\n"
        "hosts:\n"
        "  a: {state: clea}\n"
        "  b: {sate: clean}\n"
        "  c: {state: clean, gpus: 08}\n"
        "  d: {state: clean, gpus: 17}\n"
        "  e[3-1]: {state: clean}\n"
        "  f: {state: held, user: anna}\n"
        "  g: {state: slow}\n"
        "  h: {state: missing_gpu, missing_index: 8}\n"
        "  i: clean\n"
        "  j: {state: clean, missing_index: 2}\n"
        "  k: {state: [clean]}\n"
        "  l: {state: clean, state: held}\n");
    REQUIRE(errors.size() == 13);
    CHECK_THAT(errors[0], ContainsSubstring("fleet.yaml:1: latency: expected a duration"));
    CHECK_THAT(errors[1], ContainsSubstring("fleet.yaml:3: unknown state \"clea\"; did you mean "
                                            "\"clean\"?"));
    CHECK(errors[2] == "fleet.yaml:4: unknown key \"sate\"; did you mean \"state\"?");
    CHECK(errors[3] == "fleet.yaml:5: gpus: \"08\" is not a number from 0 to 16");
    CHECK(errors[4] == "fleet.yaml:6: gpus: \"17\" is not a number from 0 to 16");
    CHECK_THAT(errors[5], ContainsSubstring("fleet.yaml:7: "));
    CHECK_THAT(errors[5], ContainsSubstring("[3-1]"));
    CHECK(errors[6] == "fleet.yaml:8: user and command belong to state busy");
    CHECK(errors[7] == "fleet.yaml:9: a slow host needs a latency");
    CHECK(errors[8] == "fleet.yaml:10: missing_index 8 is not one of 8 GPUs");
    CHECK(errors[9] == "fleet.yaml:11: host \"i\" is a map of keys and values");
    CHECK(errors[10] == "fleet.yaml:12: missing_index belongs to state missing_gpu");
    CHECK(errors[11] == "fleet.yaml:13: \"state\" is a single value");
    CHECK(errors[12] == "fleet.yaml:14: \"state\" is written twice");
}

TEST_CASE("a scenario without hosts is refused, not played") {
    CHECK(errors_of("") ==
          std::vector<std::string>{"fleet.yaml:1: a scenario is a map of keys and values"});
    CHECK(errors_of("latency: 5ms\n") == std::vector<std::string>{"fleet.yaml:1: no hosts"});
    CHECK(errors_of("hosts: {}\n") == std::vector<std::string>{"fleet.yaml:1: no hosts"});
}

TEST_CASE("what is no YAML is refused with its line") {
    const auto errors = errors_of("hosts:\n  a: {state: clean\n");
    REQUIRE(errors.size() == 1);
    CHECK_THAT(errors[0], ContainsSubstring("fleet.yaml:"));
}

TEST_CASE("a latency given on the command line is for hosts of a file that has none") {
    const std::string hosts = "hosts:\n  a: {state: clean}\n  b: {state: clean, latency: 0ms}\n";
    const Scenario silent = load_scenario(hosts, "f", 50ms);
    CHECK(silent.hosts[0].latency == 50ms);
    CHECK(silent.hosts[1].latency == 0ms);
    CHECK(load_scenario("latency: 7ms\n" + hosts, "f", 50ms).hosts[0].latency == 7ms);
}

TEST_CASE("a number of clean hosts are named by padded numbers") {
    const Scenario scenario = clean_scenario(120, 3ms);
    REQUIRE(scenario.hosts.size() == 120);
    CHECK(scenario.hosts.front().name == "node001");
    CHECK(scenario.hosts.back().name == "node120");
    CHECK(scenario.hosts.back().latency == 3ms);
    CHECK(clean_scenario(3, 0ms).hosts.back().name == "node03");
}

TEST_CASE("every state has a name that leads back to it") {
    for (const HostStateInfo& info : host_states()) {
        CHECK(state_named(info.name) == info.state);
        CHECK(state_info(info.state).name == info.name);
    }
    CHECK_FALSE(state_named("Clean"));
    CHECK_FALSE(state_named(""));
}

TEST_CASE("every state is described") {
    std::ifstream file(GPUMUSTER_SOURCE_DIR "/docs/simulator.md");
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    for (const HostStateInfo& info : host_states()) {
        CHECK_THAT(text, ContainsSubstring("\n| `" + std::string(info.name) + "` | "));
    }
}

TEST_CASE("a scenario file that is not there is the user's mistake") {
    CHECK_THROWS_AS(load_scenario_file("/nowhere/fleet.yaml"), InputError);
}

TEST_CASE("the example scenarios load") {
    const std::string folder = GPUMUSTER_SOURCE_DIR "/configs/scenarios/";
    CHECK(load_scenario_file(folder + "try.yaml").hosts.size() == 20);
    CHECK(load_scenario_file(folder + "faults.yaml").hosts.size() == host_states().size());
}
