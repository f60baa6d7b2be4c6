#include "gpumuster/probe/script.hpp"

#include <algorithm>

#include "gpumuster/probe/probe.hpp"
#include "support/catch.hpp"

using namespace gpumuster;
using namespace std::chrono_literals;

namespace {

const Marker marker{"00112233aabbccdd"};

std::vector<std::string> every_script() {
    HostReadings refused;
    refused.frame_seen = true;
    refused.ending = Ending::exited;
    refused.gpu_query.outcome = QueryOutcome::field_refused;
    HostReadings busy = refused;
    busy.gpu_query.outcome = QueryOutcome::answered;
    busy.initial_pid_namespace = true;
    for (int pid = 1; pid <= 100; ++pid) busy.processes.push_back({{}, 4194300 + pid, {}, {}});
    return {first_question(ProbeLevel::full, marker, 60s).text,
            next_question(refused, {Question::full}, marker, 60s)->command.text,
            next_question(busy, {Question::full}, marker, 60s)->command.text};
}

}  // namespace

TEST_CASE("a script is one line of printable ASCII that every login shell hands on unharmed") {
    for (const std::string& script : every_script()) {
        INFO(script);
        CHECK(
            std::all_of(script.begin(), script.end(), [](char c) { return c >= ' ' && c <= '~'; }));
        CHECK(script.find_first_of("'!\\`") == std::string::npos);
        CHECK(script.find("<<") == std::string::npos);
        CHECK(script.size() < 2048);
    }
}

TEST_CASE("no driver command stands inside a substitution or before a pipe") {
    for (const std::string& script : every_script()) {
        for (auto at = script.find("--query-"); at != std::string::npos;
             at = script.find("--query-", at + 1)) {
            CHECK(script.compare(at - 8, 8, "$t \"$n\" ") == 0);
            const std::string rest = script.substr(at, script.find(';', at) - at);
            CHECK_THAT(rest, ContainsSubstring(" </dev/null"));
            CHECK(rest.find('|') == std::string::npos);
        }
    }
}

TEST_CASE("the target ends a hung command before we leave") {
    CHECK(bound_on_target(60s) == 55s);
    CHECK(bound_on_target(10s) == 5s);
    CHECK(bound_on_target(6s) == 3s);
    CHECK(bound_on_target(1s) == 1s);
    CHECK(bound_on_target(50ms) == 1s);
    CHECK_THAT(first_question(ProbeLevel::full, marker, 60s).text,
               ContainsSubstring("timeout -k 2 55"));
}

TEST_CASE("facts come first, nvidia-smi last") {
    const std::string script = first_question(ProbeLevel::full, marker, 60s).text;
    const auto at = [&](const char* part) { return script.find(part); };
    CHECK(at("b session;") < at("b driver;"));
    CHECK(at("b driver;") < at("b stuck;"));
    CHECK(at("b stuck;") < at("b gpus;"));
    CHECK(at("b gpus;") < at("b processes;"));
    CHECK(at("b processes;") < at("$m done"));
}

TEST_CASE("a shell that echoes the script prints no frame") {
    const std::string script = first_question(ProbeLevel::full, marker, 60s).text;
    CHECK(script.find(marker.text + " ") == std::string::npos);
}
