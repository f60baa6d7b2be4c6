#include "gpumuster/probe/probe.hpp"

#include "gpumuster/probe/frame.hpp"
#include "support/catch.hpp"

using namespace gpumuster;
using namespace std::chrono_literals;

namespace {

const Marker marker{"00112233aabbccdd"};

CommandOutput exited(std::string out, int code = 0, std::string err = {}) {
    CommandOutput output;
    output.out = std::move(out);
    output.err = std::move(err);
    output.ending = Ending::exited;
    output.code = code;
    return output;
}

std::string section(const std::string& name, const std::string& text, int status) {
    return section_begin(marker.text, name) + text + section_end(marker.text, name, status);
}

const std::string facts = section("session", "0\npid:[4026531836]\n", 0) +
                          section("driver",
                                  "NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.54.14  Thu "
                                  "Feb 22 01:44:30 UTC 2024\n",
                                  0) +
                          section("stuck", "", 0);
const std::string idle_row =
    "0, GPU-0, NVIDIA H200, 00000000:83:00.0, 143771 MiB, 0 MiB, 0 %, 28, P0, 550.54.14\n";

std::string whole(const std::string& gpus, int status = 0, const std::string& processes = "") {
    return facts + section("gpus", gpus, status) + section("processes", processes, 0) +
           frame_done(marker.text);
}

HostReadings answered(Question question, const CommandOutput& output) {
    HostReadings readings;
    read_answer(question, output, marker, readings);
    return readings;
}

std::optional<Question> next(const HostReadings& readings, const std::vector<Question>& asked) {
    const auto question = next_question(readings, asked, marker, 60s);
    return question ? std::optional(question->question) : std::nullopt;
}

}  // namespace

TEST_CASE("the first question is a script, or the plain query sent bare") {
    const RemoteCommand full = first_question(ProbeLevel::full, marker, 60s);
    CHECK(full.form == RemoteCommand::Form::script);
    CHECK(full.limit == 60s);
    CHECK_THAT(full.text, ContainsSubstring(full_gpu_query));
    CHECK_THAT(full.text, ContainsSubstring(process_query));
    const RemoteCommand minimal = first_question(ProbeLevel::minimal, marker, 10s);
    CHECK(minimal.form == RemoteCommand::Form::bare);
    CHECK(minimal.text == "nvidia-smi --query-gpu=index,memory.used --format=csv,noheader");
    CHECK(minimal.limit == 10s);
}

TEST_CASE("a whole answer fills the readings") {
    const HostReadings readings = answered(Question::full, exited(whole(idle_row)));
    CHECK(readings.frame_seen);
    CHECK(readings.frame_complete);
    CHECK(readings.ending == Ending::exited);
    CHECK(readings.exit_status == 0);
    CHECK(readings.answered == ProbeLevel::full);
    CHECK(readings.gpus.size() == 1);
    CHECK(readings.gpu_query.outcome == QueryOutcome::answered);
    CHECK(readings.process_query.outcome == QueryOutcome::answered);
    CHECK(readings.kernel_driver_version == "550.54.14");
    CHECK(readings.effective_uid == 0);
    CHECK(readings.initial_pid_namespace == true);
    CHECK_FALSE(next(readings, {Question::full}));
}

TEST_CASE("a deadline keeps the facts that came before the hung query") {
    CommandOutput output;
    output.out = facts + section_begin(marker.text, "gpus");
    output.ending = Ending::deadline;
    const HostReadings readings = answered(Question::full, output);
    CHECK(readings.frame_seen);
    CHECK_FALSE(readings.frame_complete);
    CHECK(readings.gpu_query.outcome == QueryOutcome::timed_out);
    CHECK(readings.kernel_driver_version == "550.54.14");
    CHECK_FALSE(next(readings, {Question::full}));
}

TEST_CASE("a query that timeout ended on the target is not asked again") {
    const HostReadings readings = answered(
        Question::full, exited(facts + section("gpus", "", 124) + frame_done(marker.text)));
    CHECK(readings.gpu_query.outcome == QueryOutcome::timed_out);
    CHECK(readings.process_query.outcome == QueryOutcome::not_asked);
    CHECK_FALSE(next(readings, {Question::full}));
}

TEST_CASE("a lost connection leaves a torn query") {
    CommandOutput output;
    output.out = facts + section_begin(marker.text, "gpus") + idle_row + "1, GPU-1, NV";
    output.ending = GENERATE(Ending::lost, Ending::capped, Ending::cancelled, Ending::signalled);
    const HostReadings readings = answered(Question::full, output);
    CHECK(readings.gpu_query.outcome == QueryOutcome::torn);
    CHECK(readings.gpus.size() == 1);
    CHECK_FALSE(next(readings, {Question::full}));
}

TEST_CASE("a stuck nvidia-smi ends the questions") {
    const HostReadings readings = answered(
        Question::full, exited(section("stuck", "3120 2460\n", 0) + frame_done(marker.text)));
    CHECK(readings.stuck_queries.size() == 1);
    CHECK(readings.gpu_query.outcome == QueryOutcome::not_asked);
    CHECK_FALSE(next(readings, {Question::full}));
}

TEST_CASE("a refused field asks for the minimal pair in a frame, once, and keeps the processes") {
    HostReadings readings =
        answered(Question::full, exited(whole("Field \"pstate\" is not a valid field to query.\n\n",
                                              2, "GPU-0, 7, a, 1 MiB\n")));
    CHECK(readings.gpu_query.outcome == QueryOutcome::field_refused);
    const auto question = next_question(readings, {Question::full}, marker, 60s);
    REQUIRE(question);
    CHECK(question->question == Question::minimal_framed);
    CHECK(question->command.form == RemoteCommand::Form::script);
    CHECK_THAT(question->command.text, ContainsSubstring(minimal_gpu_query));
    CHECK(question->command.text.find("compute-apps") == std::string::npos);

    read_answer(Question::minimal_framed,
                exited(section("gpus", "0, 2 MiB\n1, 2 MiB\n", 0) + frame_done(marker.text)),
                marker, readings);
    CHECK(readings.gpu_query.outcome == QueryOutcome::answered);
    CHECK(readings.asked == ProbeLevel::full);
    CHECK(readings.answered == ProbeLevel::minimal);
    CHECK(readings.gpus.size() == 2);
    CHECK(readings.processes.size() == 1);
    CHECK(next(readings, {Question::full, Question::minimal_framed}) == Question::owners);
}

TEST_CASE("a login without a frame is asked the plain query, once") {
    HostReadings readings =
        answered(Question::full, exited("This account is currently not available.\n", 1));
    CHECK_FALSE(readings.frame_seen);
    CHECK(readings.shell_quote == "This account is currently not available.");
    const auto question = next_question(readings, {Question::full}, marker, 60s);
    REQUIRE(question);
    CHECK(question->question == Question::minimal_bare);
    CHECK(question->command.form == RemoteCommand::Form::bare);
    CHECK(question->command.text ==
          "nvidia-smi --query-gpu=index,memory.used --format=csv,noheader");
    read_answer(Question::minimal_bare, exited("This account is currently not available.\n", 1),
                marker, readings);
    CHECK(readings.gpu_query.outcome == QueryOutcome::failed);
    CHECK(readings.answered == ProbeLevel::minimal);
    CHECK_FALSE(next(readings, {Question::full, Question::minimal_bare}));
}

TEST_CASE("after a deadline, a cut or a signal no plain query is sent") {
    CommandOutput output;
    output.ending = GENERATE(Ending::deadline, Ending::capped, Ending::lost, Ending::signalled,
                             Ending::cancelled);
    const HostReadings readings = answered(Question::full, output);
    CHECK_FALSE(readings.frame_seen);
    CHECK_FALSE(next(readings, {Question::full}));
}

TEST_CASE("a plain answer is read by its rows") {
    HostReadings readings;
    readings.asked = ProbeLevel::minimal;
    read_answer(Question::minimal_bare, exited("0, 0 MiB\r\n1, 1523 MiB\r\n"), marker, readings);
    CHECK(readings.gpu_query.outcome == QueryOutcome::answered);
    CHECK(readings.gpus.size() == 2);
    CHECK(readings.answered == ProbeLevel::minimal);
    CHECK(readings.shell_quote.empty());
    CHECK_FALSE(next(readings, {Question::minimal_bare}));
}

TEST_CASE("the status of a login shell does not speak for nvidia-smi") {
    const auto outcome = [](int code, const std::string& err) {
        return answered(Question::minimal_bare, exited("", code, err)).gpu_query.outcome;
    };
    CHECK(outcome(127, "/home/u/.bashrc: line 1: exec: zsh: not found\n") == QueryOutcome::failed);
    CHECK(outcome(127, "bash: line 1: nvidia-smi: command not found\n") ==
          QueryOutcome::tool_missing);
    CHECK(outcome(1, "nvidia-smi: Command not found.\n") == QueryOutcome::tool_missing);
    CHECK(outcome(0, "") == QueryOutcome::failed);
    CHECK(outcome(254, "bash: fork: Resource temporarily unavailable\n") == QueryOutcome::failed);
    CHECK(outcome(124, "") == QueryOutcome::timed_out);
}

TEST_CASE("a plain query that dies of a fault has crashed") {
    CommandOutput output;
    output.ending = Ending::signalled;
    output.signal = "SEGV";
    const HostReadings crashed = answered(Question::minimal_bare, output);
    REQUIRE(crashed.gpu_query.errors.size() == 1);
    CHECK(crashed.gpu_query.errors[0].kind == SmiErrorKind::tool_crashed);
    output.signal = "KILL";
    CHECK(answered(Question::minimal_bare, output).gpu_query.errors.empty());
}

TEST_CASE("a plain query past its deadline has timed out and keeps whole rows") {
    CommandOutput output;
    output.out = "0, 0 MiB\n1, ";
    output.ending = Ending::deadline;
    const HostReadings readings = answered(Question::minimal_bare, output);
    CHECK(readings.gpu_query.outcome == QueryOutcome::timed_out);
    CHECK(readings.gpus.size() == 1);
}

TEST_CASE("owners are asked for where pids are this machine's, each pid once") {
    const std::string processes =
        "GPU-0, 7, python, 1 MiB\nGPU-1, 7, python, 1 MiB\nGPU-1, 9, python, 1 MiB\n";
    HostReadings readings = answered(Question::full, exited(whole(idle_row, 0, processes)));
    const auto question = next_question(readings, {Question::full}, marker, 60s);
    REQUIRE(question);
    CHECK(question->question == Question::owners);
    CHECK_THAT(question->command.text, ContainsSubstring("-p 7,9 "));
    CHECK(question->command.limit == 10s);

    CommandOutput output;
    output.ending = Ending::deadline;
    output.out = section("owners", "      7 anna  Sl  60 python train.py\n", 0);
    read_answer(Question::owners, output, marker, readings);
    REQUIRE(readings.owners.size() == 1);
    CHECK(readings.owners[0].user == "anna");
    CHECK(readings.ending == Ending::exited);
    CHECK(readings.frame_complete);
    CHECK_FALSE(next(readings, {Question::full, Question::owners}));

    readings.initial_pid_namespace = false;
    CHECK_FALSE(next(readings, {Question::full}));
    readings.initial_pid_namespace.reset();
    CHECK_FALSE(next(readings, {Question::full}));
}

TEST_CASE("no answer whatever breaks the reading") {
    const std::string out = GENERATE(
        as<std::string>{}, std::string("\0\0\0", 3), "00112233aabbccdd begin gpus",
        "00112233aabbccdd end gpus 0\n00112233aabbccdd done\n", std::string(200'000, '\n'),
        std::string(200'000, ','), "00112233aabbccdd begin gpus\n" + std::string(200'000, '9'));
    for (const Question question :
         {Question::full, Question::minimal_framed, Question::minimal_bare, Question::owners}) {
        const HostReadings readings = answered(question, exited(out));
        CHECK(readings.gpus.empty());
        CHECK(readings.processes.empty());
    }
}
