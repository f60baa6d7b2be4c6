#include "gpumuster-sim/command_line.hpp"

#include <string>
#include <vector>

#include "gpumuster/base/input_error.hpp"
#include "support/catch.hpp"

using namespace gpumuster;
using namespace gpumuster::sim;
using namespace std::chrono_literals;

namespace {

std::optional<CommandLine> parse(std::vector<std::string> words) {
    words.insert(words.begin(), "gpumuster-sim");
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    return parse_command_line(static_cast<int>(arguments.size()), arguments.data());
}

std::string error_of(const std::vector<std::string>& words) {
    try {
        parse(words);
    } catch (const InputError& error) {
        return error.lines().front();
    }
    return {};
}

}  // namespace

TEST_CASE("a number of hosts, or a file of them, is played") {
    const auto hosts = parse({"--hosts", "12", "--latency", "50ms", "--state-dir", "d"});
    REQUIRE(hosts);
    CHECK(hosts->hosts == 12);
    CHECK(hosts->latency == 50ms);
    CHECK(hosts->state_folder == "d");
    CHECK(hosts->listen == "127.0.0.1");
    const auto file = parse({"--scenario", "f.yaml", "--state-dir=d", "--listen", "127.9.9.9"});
    REQUIRE(file);
    CHECK(file->hosts == 0);
    CHECK(file->scenario == "f.yaml");
    CHECK(file->listen == "127.9.9.9");
}

TEST_CASE("wrong use of the simulator is told in one line") {
    CHECK(error_of({"--state-dir", "d"}) == "which hosts? give --hosts N or --scenario FILE");
    CHECK_THAT(error_of({"--hosts", "3"}), ContainsSubstring("--state-dir"));
    CHECK_THAT(error_of({"--hosts", "0", "--state-dir", "d"}), ContainsSubstring("--hosts"));
    CHECK_THAT(error_of({"--hosts", "3", "--scenario", "f", "--state-dir", "d"}),
               ContainsSubstring("--scenario"));
    CHECK_THAT(error_of({"--hosts", "3", "--state-dir", "d", "--latency", "50"}),
               ContainsSubstring("--latency: \"50\" is not a duration"));
    CHECK(error_of({"--hosts", "3", "--state-dir", "d", "--listen", "0.0.0.0"}) ==
          "--listen: \"0.0.0.0\" is not an address of 127.0.0.0/8");
    CHECK(error_of({"--host", "3", "--state-dir", "d"}) ==
          "unknown argument \"--host\"; did you mean \"--hosts\"?");
}
