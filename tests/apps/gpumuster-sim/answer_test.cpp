#include "gpumuster-sim/answer.hpp"

#include "gpumuster-sim/script.hpp"
#include "gpumuster-sim/smi.hpp"
#include "gpumuster/probe/probe.hpp"
#include "support/catch.hpp"

using namespace gpumuster;
using namespace gpumuster::sim;
using namespace std::chrono_literals;

namespace {

const Marker marker{"0123456789abcdef"};

SimulatedHost host_in(HostState state) {
    SimulatedHost host;
    host.name = "node01";
    host.state = state;
    return host;
}

std::string exec_text(const RemoteCommand& command) {
    if (command.form == RemoteCommand::Form::bare) return command.text;
    return "exec /bin/sh -c '" + command.text + "'";
}

std::string full_question() {
    return exec_text(first_question(ProbeLevel::full, marker, 60s));
}

CommandOutput arrived(const Answer& answer) {
    CommandOutput output{answer.out, answer.err};
    output.ending = answer.end == AnswerEnd::exited      ? Ending::exited
                    : answer.end == AnswerEnd::signalled ? Ending::signalled
                    : answer.end == AnswerEnd::never     ? Ending::deadline
                                                         : Ending::lost;
    output.code = answer.exit_status;
    output.signal = answer.signal;
    return output;
}

HostReadings readings_of(const SimulatedHost& host) {
    HostReadings readings;
    const Answer answer = answer_command(host, full_question());
    read_answer(Question::full, arrived(answer), marker, readings);
    return readings;
}

}  // namespace

TEST_CASE("the probe reads a clean host whole") {
    const HostReadings readings = readings_of(host_in(HostState::clean));
    CHECK(readings.frame_complete);
    CHECK(readings.gpu_query.outcome == QueryOutcome::answered);
    CHECK(readings.process_query.outcome == QueryOutcome::answered);
    CHECK(readings.kernel_driver_version == "570.86.15");
    CHECK(readings.effective_uid == 0);
    CHECK(readings.initial_pid_namespace == true);
    CHECK(readings.stuck_queries.empty());
    REQUIRE(readings.gpus.size() == 8);
    CHECK(readings.gpus[7].memory_used_mib == 2);
    CHECK(readings.gpus[7].memory_total_mib == 81'559);
    CHECK(readings.gpus[7].pstate == "P0");
    CHECK(readings.gpus[7].missing.empty());
}

TEST_CASE("the probe learns who keeps a host busy") {
    SimulatedHost host = host_in(HostState::busy);
    host.command = "python3 train.py --lr 1e-4";
    HostReadings readings = readings_of(host);
    REQUIRE(readings.processes.size() == 4);
    CHECK(readings.gpus[0].memory_used_mib == 74'200);
    const auto next = next_question(readings, {Question::full}, marker, 60s);
    REQUIRE(next);
    REQUIRE(next->question == Question::owners);
    read_answer(next->question, arrived(answer_command(host, exec_text(next->command))), marker,
                readings);
    REQUIRE(readings.owners.size() == 4);
    CHECK(readings.owners[0].pid == readings.processes[0].pid);
    CHECK(readings.owners[0].user == "anna");
    CHECK(readings.owners[0].state == "Sl");
    CHECK(readings.owners[0].age_seconds == 11'520);
    CHECK(readings.owners[0].command == "python3 train.py --lr 1e-4");
}

TEST_CASE("only the processes that are asked for have owners") {
    const SimulatedHost host = host_in(HostState::busy);
    const std::string pid = std::to_string(gpu_holders(host)[1].pid);
    const Answer answer =
        answer_command(host, "m=" + marker.text + ";b owners;$t ps -p " + pid + ";e owners $r;");
    CHECK_THAT(answer.out, ContainsSubstring("  " + pid + " anna "));
    CHECK(answer.out.find("\n  " + std::to_string(gpu_holders(host)[0].pid)) == std::string::npos);
}

TEST_CASE("the probe finds what is wrong with a GPU") {
    const HostReadings lost = readings_of(host_in(HostState::lost_gpu));
    CHECK(lost.gpus.size() == 7);
    REQUIRE_FALSE(lost.gpu_query.errors.empty());
    CHECK(lost.gpu_query.errors[0].kind == SmiErrorKind::gpu_lost);

    const HostReadings reset = readings_of(host_in(HostState::needs_reset));
    REQUIRE(reset.gpus.size() == 8);
    CHECK(reset.gpus[7].memory_used_mib == 0);
    CHECK_FALSE(reset.gpus[7].temperature_celsius);

    SimulatedHost gap = host_in(HostState::missing_gpu);
    gap.missing_index = 3;
    CHECK(readings_of(gap).missing_indices == std::vector<int>{3});
}

TEST_CASE("after a driver that does not answer the processes are not asked") {
    const HostReadings mismatch = readings_of(host_in(HostState::version_mismatch));
    REQUIRE_FALSE(mismatch.gpu_query.errors.empty());
    CHECK(mismatch.gpu_query.errors[0].kind == SmiErrorKind::version_mismatch);
    CHECK(mismatch.process_query.outcome == QueryOutcome::not_asked);
    CHECK(mismatch.frame_complete);
    CHECK_FALSE(readings_of(host_in(HostState::driver_not_loaded)).kernel_driver_version);
}

TEST_CASE("a refused field leads to the plain pair") {
    const SimulatedHost host = host_in(HostState::field_refused);
    HostReadings readings = readings_of(host);
    CHECK(readings.gpu_query.outcome == QueryOutcome::field_refused);
    const auto next = next_question(readings, {Question::full}, marker, 60s);
    REQUIRE(next);
    REQUIRE(next->question == Question::minimal_framed);
    read_answer(next->question, arrived(answer_command(host, exec_text(next->command))), marker,
                readings);
    CHECK(readings.gpu_query.outcome == QueryOutcome::answered);
    CHECK(readings.gpus.size() == 8);
}

TEST_CASE("a hung host gives its facts and then nothing") {
    const Answer answer = answer_command(host_in(HostState::hung), full_question());
    CHECK(answer.end == AnswerEnd::never);
    CHECK(answer.out.ends_with("\n" + marker.text + " begin gpus\n"));
    const HostReadings readings = readings_of(host_in(HostState::hung));
    CHECK(readings.kernel_driver_version == "570.86.15");
    CHECK(readings.gpu_query.outcome == QueryOutcome::timed_out);
}

TEST_CASE("a host with a stuck nvidia-smi is not asked for another") {
    const Answer answer = answer_command(host_in(HostState::stuck), full_question());
    CHECK(answer.end == AnswerEnd::exited);
    CHECK(answer.out.find("begin gpus") == std::string::npos);
    const HostReadings readings = readings_of(host_in(HostState::stuck));
    REQUIRE(readings.stuck_queries.size() == 1);
    CHECK(readings.stuck_queries[0].pid == 3120);
    CHECK(readings.stuck_queries[0].age_seconds == 2460);
    CHECK(readings.frame_complete);
}

TEST_CASE("an answer that is torn or killed stops within a row") {
    const Answer torn = answer_command(host_in(HostState::torn), full_question());
    CHECK(torn.end == AnswerEnd::connection_cut);
    CHECK_FALSE(torn.out.ends_with("\n"));
    const Answer killed = answer_command(host_in(HostState::signalled), full_question());
    CHECK(killed.end == AnswerEnd::signalled);
    CHECK(killed.signal == "KILL");
    CHECK(killed.out == torn.out);
    CHECK(readings_of(host_in(HostState::torn)).gpu_query.outcome == QueryOutcome::torn);
}

TEST_CASE("an answer without a status is whole") {
    const Answer answer = answer_command(host_in(HostState::no_status), full_question());
    CHECK(answer.end == AnswerEnd::without_status);
    CHECK(answer.out.ends_with(marker.text + " done\n"));
}

TEST_CASE("the plain query is answered without a frame") {
    const std::string plain = exec_text(first_question(ProbeLevel::minimal, marker, 60s));
    const Answer answer = answer_command(host_in(HostState::clean), plain);
    CHECK(answer.out.starts_with("0, 2 MiB\n"));
    CHECK(answer.exit_status == 0);
    const Answer hung = answer_command(host_in(HostState::hung), plain);
    CHECK(hung.out.empty());
    CHECK(hung.end == AnswerEnd::never);
}

TEST_CASE("any other command is not found") {
    const Answer answer = answer_command(host_in(HostState::clean), "uname -a");
    CHECK(answer.out.empty());
    CHECK(answer.err == "sh: 1: uname: not found\n");
    CHECK(answer.exit_status == 127);
}

TEST_CASE("a script is known by its marker and its sections") {
    const auto script =
        read_script("m=0123456789abcdef;b one;id -u;r=$?;e one $r;if x;then b two;y;e two $r;fi;");
    REQUIRE(script);
    CHECK(script->marker == "0123456789abcdef");
    REQUIRE(script->sections.size() == 2);
    CHECK(script->sections[0].name == "one");
    CHECK(script->sections[0].body == "id -u;r=$?");
    CHECK_FALSE(script->sections[0].is_conditional);
    CHECK(script->sections[1].name == "two");
    CHECK(script->sections[1].body == "y");
    CHECK(script->sections[1].is_conditional);
}

TEST_CASE("what only resembles a script is none") {
    const std::string section = ";b one;id;e one $r;";
    CHECK(read_script("m=0123456789abcdef" + section));
    CHECK_FALSE(read_script("m=0123456789abcde" + section));
    CHECK_FALSE(read_script("m=0123456789abcdef0" + section));
    CHECK_FALSE(read_script("m=0123456789abcdeg" + section));
    CHECK_FALSE(read_script("m=0123456789abcdef;b one;id"));
    CHECK_FALSE(read_script("m=0123456789abcdef;grab one;id;e one $r"));
    CHECK_FALSE(read_script(""));
}
