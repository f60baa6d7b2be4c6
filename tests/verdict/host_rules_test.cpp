#include "support/catch.hpp"
#include "verdict/answers.hpp"

using namespace gpumuster;
using namespace gpumuster::test;

namespace {

struct Said {
    const char* text;
    int status;
    const char* code;
    Verdict verdict;
};

// The text on one stream or the other, in the frame.
HostVerdict framed(const std::string& text, int status, bool on_stderr,
                   const Expectations& expect = {}) {
    Answer answer;
    answer.gpus = on_stderr ? "" : text;
    answer.gpus_err = on_stderr ? text : "";
    answer.gpus_status = status;
    return verdict_of(answer.readings(), expect);
}

CommandOutput ended(Ending ending, std::string out = {}) {
    CommandOutput output;
    output.out = std::move(out);
    output.ending = ending;
    return output;
}

HostVerdict full_verdict(const CommandOutput& output) {
    HostReadings readings;
    read_answer(Question::full, output, marker, readings);
    return verdict_of(readings);
}

std::string facts_and_open_gpus() {
    return section_begin(marker.text, "driver") +
           "NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.54.14  x\n" +
           section_end(marker.text, "driver", 0) + section_begin(marker.text, "gpus");
}

}  // namespace

TEST_CASE("what nvidia-smi says instead of rows has its finding, on either stream") {
    const Said said = GENERATE(values<Said>({
        {"NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make sure "
         "that the latest NVIDIA driver is installed and running.\n\n",
         9, "host.driver_not_loaded", Verdict::broken},
        {"Failed to initialize NVML: Driver/library version mismatch\nNVML library version: "
         "535.161\n",
         18, "host.version_mismatch", Verdict::broken},
        {"Failed to initialize NVML: Driver/library version mismatch\n", 18,
         "host.version_mismatch", Verdict::broken},
        {"Failed to initialize NVML: Unknown Error\n", 255, "host.nvml_error", Verdict::broken},
        {"No devices were found\n", 6, "host.no_gpus", Verdict::broken},
        {"Failed to initialize NVML: No supported GPUs were found\nUnable to determine the number "
         "of GPUs\n",
         255, "host.no_gpus", Verdict::broken},
        {"Unable to determine the device handle for GPU 0000:0B:00.0: Unknown Error\n", 255,
         "gpu.unreadable", Verdict::broken},
        {"Unable to determine the device handle for GPU 0000:05:00.0: GPU is lost.  Reboot the "
         "system to recover this GPU\n",
         15, "gpu.lost", Verdict::broken},
        {"Unable to determine the device handle for gpu 0000:01:00.0: Not Found\n", 255,
         "gpu.unreadable", Verdict::broken},
        {"NVIDIA-SMI couldn't find libnvidia-ml.so library in your system. Please make sure that "
         "the NVIDIA Display Driver is properly installed and present in your system.\nPlease also "
         "try adding directory that contains libnvidia-ml.so to your system PATH.\n",
         12, "host.library_missing", Verdict::broken},
        {"Failed to initialize NVML: Insufficient Permissions\n", 4,
         "host.insufficient_permissions", Verdict::unknown},
        {"Failed to initialize NVML: GPU access blocked by the operating system\nFailed to "
         "properly shut down NVML: GPU access blocked by the operating system\n",
         255, "host.blocked_by_os", Verdict::broken},
        {"/usr/bin/nvidia-smi: Input/output error\n", 126, "host.tool_not_executable",
         Verdict::broken},
        {"", 126, "host.tool_not_executable", Verdict::broken},
        {"Segmentation fault\n", 139, "host.tool_crashed", Verdict::broken},
        {"", 127, "host.tool_missing", Verdict::broken},
        {"", 124, "host.query_hung", Verdict::hung},
        {"", 137, "host.query_hung", Verdict::hung},
        {"", 143, "host.query_hung", Verdict::hung},
        {"", 0, "host.query_failed", Verdict::unknown},
        {"something new went wrong\n", 255, "host.query_failed", Verdict::unknown},
        {"Field \"index\" is not a valid field to query.\n", 2, "host.query_failed",
         Verdict::unknown},
    }));
    const bool on_stderr = GENERATE(false, true);
    INFO(said.text);
    const HostVerdict verdict = framed(said.text, said.status, on_stderr);
    CHECK(verdict.verdict == said.verdict);
    CHECK(codes(verdict) == Codes{said.code});
    CHECK(verdict.findings.at(0).severity == Severity::error);
}

TEST_CASE("a version mismatch names both versions") {
    const HostVerdict verdict = framed(
        "Failed to initialize NVML: Driver/library version mismatch\n"
        "NVML library version: 550.144\n",
        18, false);
    CHECK_THAT(verdict.findings[0].message, ContainsSubstring("NVML library version: 550.144"));
    CHECK_THAT(verdict.findings[0].message, ContainsSubstring("the loaded module is 590.48.01"));
}

TEST_CASE("a lost GPU of the newest wording is named by index although no row came") {
    const HostVerdict verdict = framed(
        "Unable to determine the device handle for GPU1: 0000:34:00.0: Unknown Error\n"
        "Thu Aug 27 18:05:38 2026\n|   0  NVIDIA RTX PRO 6000 Blac...    On  |\n",
        255, false);
    CHECK(codes(verdict) == Codes{"gpu.unreadable"});
    CHECK(verdict.findings[0].subject == "GPU 1");
}

TEST_CASE("a hung query is hung and keeps what came before it") {
    const HostVerdict verdict =
        full_verdict(ended(Ending::deadline, facts_and_open_gpus() + gpu_row(0, "0 MiB")));
    CHECK(verdict.verdict == Verdict::hung);
    CHECK(codes(verdict) == Codes{"host.query_hung"});
    CHECK_THAT(verdict.findings[0].message, ContainsSubstring("the loaded driver is 550.54.14"));
    REQUIRE(verdict.gpus.size() == 1);
    CHECK(verdict.gpus[0].verdict == Verdict::unknown);
}

TEST_CASE(
    "a process query that hangs to the deadline is hung, one that timeout ends is a warning") {
    Answer answer;
    CommandOutput output = answer.output();
    output.out.resize(output.out.find(marker.text + " end processes"));
    output.ending = Ending::deadline;
    CHECK(codes(full_verdict(output)) == Codes{"host.query_hung", "processes.not_listed"});

    answer.processes_status = 124;
    const HostVerdict bounded = verdict_of(answer.readings());
    CHECK(bounded.verdict == Verdict::clean);
    CHECK(codes(bounded) == Codes{"processes.not_listed"});
}

TEST_CASE("a complete frame whose channel stays open is no hang") {
    CommandOutput output = Answer{}.output();
    output.ending = GENERATE(Ending::deadline, Ending::lost, Ending::signalled);
    CHECK(full_verdict(output).verdict == Verdict::clean);
}

TEST_CASE("a stuck nvidia-smi is named with its age, and no new one was started") {
    const HostVerdict verdict =
        full_verdict(exited(section_begin(marker.text, "stuck") + "3120 2460\n" +
                            section_end(marker.text, "stuck", 0) + frame_done(marker.text)));
    CHECK(verdict.verdict == Verdict::hung);
    CHECK(codes(verdict) == Codes{"host.query_stuck"});
    CHECK(verdict.findings[0].message ==
          "nvidia-smi pid 3120 is in state D for 41 min, so no new one was started");
}

TEST_CASE("a login whose shell never starts our script is hung by its shell") {
    const HostVerdict verdict = full_verdict(ended(Ending::deadline, "Loading modules\n"));
    CHECK(verdict.verdict == Verdict::hung);
    CHECK(codes(verdict) == Codes{"host.shell_hung"});
    CHECK_THAT(verdict.findings[0].message, ContainsSubstring("\"Loading modules\""));
}

TEST_CASE("a plain query past its deadline is hung by nvidia-smi") {
    const HostVerdict verdict = verdict_of(plain(ended(Ending::deadline)));
    CHECK(codes(verdict) == Codes{"host.query_hung"});
}

TEST_CASE("an answer that was cut is unknown, and says by what") {
    const std::string torn = facts_and_open_gpus() + gpu_row(0, "0 MiB") + "1, GPU-1, NV";
    const HostVerdict lost = full_verdict(ended(Ending::lost, torn));
    CHECK(lost.verdict == Verdict::unknown);
    CHECK(codes(lost) == Codes{"host.answer_torn"});
    CHECK_THAT(lost.findings[0].message, ContainsSubstring("connection broke"));
    CHECK(lost.gpus.at(0).verdict == Verdict::unknown);
    CHECK_THAT(full_verdict(ended(Ending::capped, torn)).findings.at(0).message,
               ContainsSubstring("more than is taken"));
    CHECK(codes(full_verdict(ended(Ending::cancelled, torn))) == Codes{"host.answer_torn"});
    CHECK(codes(full_verdict(exited(facts_and_open_gpus(), 1))) == Codes{"host.answer_torn"});

    CommandOutput killed = ended(Ending::signalled, torn);
    killed.signal = "KILL";
    const HostVerdict verdict = full_verdict(killed);
    CHECK(verdict.verdict == Verdict::unknown);
    CHECK(codes(verdict) == Codes{"host.killed"});
    CHECK(verdict.findings[0].message == "the command was ended by signal KILL");
}

TEST_CASE("a plain query that dies of a fault is a crash, of another signal is killed") {
    CommandOutput output = ended(Ending::signalled);
    output.signal = "SEGV";
    CHECK(codes(verdict_of(plain(output))) == Codes{"host.tool_crashed"});
    output.signal = "TERM";
    CHECK(codes(verdict_of(plain(output))) == Codes{"host.killed"});
}

TEST_CASE("a login that runs nothing of ours is unknown and quoted") {
    struct Login {
        const char* out;
        const char* err;
        int status;
    };
    const Login login = GENERATE(values<Login>({
        {"This account is currently not available.\n", "", 1},
        {"This service allows sftp connections only.\n", "", 0},
        {"", "System maintenance until 18:00\n", 254},
        {"", "Access denied by pam_slurm_adopt: you have no active jobs on this node\r\n", 255},
        {"", "/home/u/.bashrc: line 1: exec: zsh: not found\n", 127},
        {"", "bash: fork: retry: Resource temporarily unavailable\n", 254},
        {"", "sudo: a password is required\n", 1},
        {"", "Illegal variable name.\n", 1},
        {"", "", 0},
        {"", "", 1},
    }));
    HostReadings readings;
    const CommandOutput output = exited(login.out, login.status, login.err);
    read_answer(Question::full, output, marker, readings);
    CHECK(codes(verdict_of(readings)) == Codes{"host.restricted_shell"});
    read_answer(Question::minimal_bare, output, marker, readings);
    const HostVerdict verdict = verdict_of(readings);
    CHECK(verdict.verdict == Verdict::unknown);
    CHECK(codes(verdict) == Codes{"host.restricted_shell"});
    const std::string said = std::string(login.out) + login.err;
    CHECK_THAT(verdict.findings[0].message,
               ContainsSubstring(said.empty() ? "nothing at all" : said.substr(0, 12)));
}

TEST_CASE("every shell's words for a missing nvidia-smi make the plain query broken") {
    const std::string err = GENERATE(
        as<std::string>{}, "bash: line 1: nvidia-smi: command not found\n",
        "dash: 1: nvidia-smi: not found\n", "fish: Unknown command: nvidia-smi\n",
        "nvidia-smi: Command not found.\n",
        "'nvidia-smi' is not recognized as an internal or external command,\r\noperable program "
        "or batch file.\r\n");
    const HostVerdict verdict = verdict_of(plain(exited("", 1, err)));
    CHECK(verdict.verdict == Verdict::broken);
    CHECK(codes(verdict) == Codes{"host.tool_missing"});
    CHECK_THAT(verdict.findings[0].message, ContainsSubstring("nvidia-smi"));
}

TEST_CASE("minimal reached by refusal is unknown, typed by the user it may be clean") {
    Answer answer;
    answer.gpus = "Field \"pstate\" is not a valid field to query.\n";
    answer.gpus_status = 2;
    HostReadings readings = answer.readings();
    read_answer(Question::minimal_framed,
                exited(section_begin(marker.text, "gpus") + "0, 0 MiB\n1, 0 MiB\n" +
                       section_end(marker.text, "gpus", 0) + frame_done(marker.text)),
                marker, readings);
    const HostVerdict verdict = verdict_of(readings);
    CHECK(verdict.verdict == Verdict::unknown);
    CHECK(codes(verdict) == Codes{"health.refused"});
    for (const GpuVerdict& gpu : verdict.gpus) CHECK(gpu.verdict == Verdict::unknown);
}

TEST_CASE("a login that answers the plain query alone is unknown, or held where memory is") {
    HostReadings readings;
    read_answer(Question::full, exited("command refused\n", 1), marker, readings);
    read_answer(Question::minimal_bare, exited("0, 3 MiB\n1, 3 MiB\n"), marker, readings);
    CHECK(codes(verdict_of(readings)) == Codes{"health.refused"});
    CHECK(verdict_of(readings).verdict == Verdict::unknown);
    read_answer(Question::minimal_bare, exited("0, 3 MiB\n1, 1523 MiB\n"), marker, readings);
    const HostVerdict held = verdict_of(readings);
    CHECK(held.verdict == Verdict::held);
    CHECK(find(held, "gpu.memory.held")->subject == "GPU 1");
}

TEST_CASE("rows beside an error that nobody understands are not relied upon") {
    Answer answer;
    answer.gpus = gpu_row(0, "0 MiB") + "something new went wrong\n";
    answer.gpus_status = 255;
    const HostVerdict verdict = verdict_of(answer.readings());
    CHECK(verdict.verdict == Verdict::unknown);
    CHECK(codes(verdict) == Codes{"host.query_partial"});
    CHECK_THAT(verdict.findings[0].message, ContainsSubstring("something new went wrong"));
    CHECK(verdict.gpus.at(0).verdict == Verdict::unknown);

    answer.gpus += "WARNING: infoROM is corrupted at gpu 0000:10:00.0\n";
    CHECK(codes(verdict_of(answer.readings())) == Codes{"host.query_partial", "gpu.inforom"});
}

TEST_CASE("noise around whole rows changes nothing") {
    Answer answer;
    answer.gpus = "Welcome\n" + gpu_row(0, "0 MiB") + "bye\n";
    answer.gpus_err = "perl: warning: Setting locale failed.\n";
    CHECK(codes(verdict_of(answer.readings())).empty());
}

TEST_CASE("a host that is meant to have no GPU and has none is clean") {
    Expectations none;
    none.gpus = 0;
    for (const int status : {0, 6}) {
        const HostVerdict verdict = framed("No devices were found\n", status, false, none);
        CHECK(verdict.verdict == Verdict::clean);
        CHECK(codes(verdict) == Codes{"host.no_gpus_expected"});
    }
    CHECK(framed("", 127, false, none).verdict == Verdict::clean);
    CHECK(framed("Failed to initialize NVML: Unknown Error\n", 255, false, none).verdict ==
          Verdict::broken);
    CHECK(framed("", 124, false, none).verdict == Verdict::hung);
    Expectations eight;
    eight.gpus = 8;
    CHECK(framed("No devices were found\n", 6, false, eight).verdict == Verdict::broken);
}

TEST_CASE("fewer and more GPUs than expected are degraded, the right number is not") {
    Answer answer;
    answer.gpus = gpu_row(0, "0 MiB") + gpu_row(1, "0 MiB");
    const auto with = [&](int gpus) {
        Expectations expect;
        expect.gpus = gpus;
        return verdict_of(answer.readings(), expect);
    };
    CHECK(with(2).verdict == Verdict::clean);
    CHECK(with(3).verdict == Verdict::degraded);
    CHECK(with(1).verdict == Verdict::degraded);
    CHECK(with(0).verdict == Verdict::degraded);
    CHECK(with(3).findings[0].message == "expected 3 GPUs, 2 answer");
    CHECK(with(3).gpus[0].verdict == Verdict::clean);
    answer.gpus = gpu_row(0, "0 MiB");
    CHECK(with(8).findings[0].message == "expected 8 GPUs, 1 answers");
}

TEST_CASE("an expected model is contained in the name, whatever the case") {
    Answer answer;
    answer.gpus = gpu_row(0, "0 MiB") + gpu_row(1, "0 MiB", "0 %", "NVIDIA A100-SXM4-80GB");
    const auto with = [&](const char* model) {
        Expectations expect;
        expect.model = model;
        return verdict_of(answer.readings(), expect);
    };
    CHECK(with("nvidia").verdict == Verdict::clean);
    const HostVerdict verdict = with("h100");
    CHECK(verdict.verdict == Verdict::degraded);
    CHECK(codes(verdict) == Codes{"host.gpu_model"});
    CHECK(verdict.findings[0].subject == "GPU 1");
    CHECK(verdict.findings[0].message == "expected the model h100, found NVIDIA A100-SXM4-80GB");

    Expectations expect;
    expect.model = "H100";
    const HostVerdict minimal = verdict_of(plain(exited("0, 0 MiB\n")), expect);
    CHECK(minimal.verdict == Verdict::clean);
    CHECK(find(minimal, "host.gpu_model_unread") != nullptr);
}
