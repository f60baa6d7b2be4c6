#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "gpumuster/probe/probe.hpp"
#include "support/catch.hpp"
#include "support/components.hpp"
#include "support/program.hpp"
#include "support/temp_dir.hpp"

using namespace gpumuster;
using namespace std::chrono_literals;
namespace fs = std::filesystem;

namespace {

const Marker marker{"00112233aabbccdd"};

// A folder with a fake nvidia-smi and a fake /proc, and the script run in it by a real shell.
class Target {
public:
    Target() {
        fs::create_directories(folder_ / "bin");
        fs::create_directories(folder_ / "proc/self/ns");
        fs::create_symlink("pid:[4026531836]", folder_ / "proc/self/ns/pid");
        write("proc/self/stat", stat_line("sh", 'R', 1'000'000));
    }

    void write(const std::string& file, const std::string& text) const {
        fs::create_directories((folder_ / file).parent_path());
        std::ofstream(folder_ / file) << text;
    }

    void install_tool(const std::string& body, const std::string& file = "bin/nvidia-smi") const {
        write(file, "#!/bin/sh\n" + body);
        fs::permissions(folder_ / file, fs::perms::owner_all);
    }

    // A process as /proc shows it. `age` is counted against the shell that runs the script.
    void add_process(int pid, const std::string& name, char state, int age) const {
        const std::string place = "proc/" + std::to_string(pid);
        write(place + "/comm", name + "\n");
        write(place + "/stat", stat_line(name, state, 1'000'000 - 100 * age));
    }

    CommandOutput run(const std::string& shell, std::string script) const {
        replace_all(script, "/proc/", (folder_ / "proc").string() + "/");
        // The known places of the machine that runs the test are none of its business.
        replace_all(script, "/usr/bin /usr/local/bin ", (folder_ / "known").string() + " ");
        const std::string command = "PATH=\"" + (folder_ / "bin").string() + ":/usr/bin:/bin\" " +
                                    shell + " -c '" + script + "' >" + path("out") + " 2>" +
                                    path("err") + " </dev/null";
        const int status = std::system(command.c_str());
        CommandOutput output;
        output.out = test::read_file(path("out"));
        output.err = test::read_file(path("err"));
        output.ending = Ending::exited;
        output.code = WEXITSTATUS(status);
        return output;
    }

    std::string path(const std::string& file) const { return (folder_ / file).string(); }
    bool exists(const std::string& file) const { return fs::exists(folder_ / file); }

private:
    static std::string stat_line(const std::string& name, char state, int start) {
        std::string line = "4711 (" + name + ") " + state;
        for (int field = 4; field < 22; ++field) line += " " + std::to_string(field);
        return line + " " + std::to_string(start) + " 23 24\n";
    }

    static void replace_all(std::string& text, const std::string& from, const std::string& to) {
        for (auto at = text.find(from); at != std::string::npos;
             at = text.find(from, at + to.size()))
            text.replace(at, from.size(), to);
    }

    test::TempDir owner_;
    fs::path folder_ = owner_.path();
};

const char* const two_gpus =
    "case \"$1\" in\n"
    "--query-gpu=*) echo '0, GPU-0, NVIDIA H200, 00000000:83:00.0, 143771 MiB, 1523 MiB, 0 %, 28, "
    "P0, 590.48.01'\n"
    "echo '1, GPU-1, NVIDIA H200, 00000000:84:00.0, 143771 MiB, 0 MiB, 0 %, 28, P0, 590.48.01'\n"
    "echo 'a remark' >&2 ;;\n"
    "*) echo 'GPU-0, 77, python3, 1500 MiB' ;;\n"
    "esac\n";

HostReadings ask(const Target& target, const std::string& shell,
                 std::chrono::milliseconds limit = 60s) {
    const CommandOutput output =
        target.run(shell, first_question(ProbeLevel::full, marker, limit).text);
    INFO(output.out);
    INFO(output.err);
    HostReadings readings;
    read_answer(Question::full, output, marker, readings);
    CHECK(readings.frame_seen);
    CHECK(readings.frame_complete);
    CHECK(output.code == 0);
    return readings;
}

// Every shell runs the script and its answer is read.
void check_answer_is_read(const std::string& shell) {
    const Target target;
    target.install_tool(two_gpus);
    target.write("proc/driver/nvidia/version",
                 "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  590.48.01  Release\n"
                 "GCC version:  gcc version 12.2.0\n");
    target.add_process(50, "nvidia-smi", 'S', 500);
    const HostReadings readings = ask(target, shell);
    CHECK(readings.effective_uid == static_cast<int>(geteuid()));
    CHECK(readings.initial_pid_namespace == true);
    CHECK(readings.kernel_driver_version == "590.48.01");
    CHECK(readings.stuck_queries.empty());
    CHECK(readings.gpu_query.outcome == QueryOutcome::answered);
    REQUIRE(readings.gpus.size() == 2);
    CHECK(readings.gpus[0].memory_used_mib == 1523);
    CHECK(readings.gpus[1].pci_bus_id == "00000000:84:00.0");
    REQUIRE(readings.processes.size() == 1);
    CHECK(readings.processes[0].pid == 77);
}

// Every shell sees an nvidia-smi that is stuck and starts no new one.
void check_stuck_query_is_seen(const std::string& shell) {
    const Target target;
    target.install_tool("touch " + target.path("started") + "\n");
    target.add_process(3120, "nvidia-smi", 'D', 2460);
    const HostReadings readings = ask(target, shell);
    REQUIRE(readings.stuck_queries.size() == 1);
    CHECK(readings.stuck_queries[0].pid == 3120);
    CHECK(readings.stuck_queries[0].age_seconds == 2460);
    CHECK(readings.gpu_query.outcome == QueryOutcome::not_asked);
    CHECK_FALSE(target.exists("started"));
}

// A young, a running and another program's process in state D are not stuck.
void check_others_are_not_stuck(const std::string& shell) {
    const Target target;
    target.install_tool(two_gpus);
    target.add_process(10, "nvidia-smi", 'D', 60);
    target.add_process(11, "nvidia-smi", 'R', 5000);
    target.add_process(12, "nvidia-smi-foo", 'D', 5000);
    target.add_process(13, "python3", 'D', 5000);
    const HostReadings readings = ask(target, shell);
    CHECK(readings.stuck_queries.empty());
    CHECK(readings.gpus.size() == 2);
}

// Every shell says when nvidia-smi is nowhere, and finds it in a known place.
void check_tool_is_found(const std::string& shell) {
    const Target target;
    CHECK(ask(target, shell).gpu_query.outcome == QueryOutcome::tool_missing);
    target.install_tool(two_gpus, "known/nvidia-smi");
    CHECK(ask(target, shell).gpus.size() == 2);
}

// A query that hangs is ended on the target and no second one follows.
void check_hang_is_ended(const std::string& shell) {
    const Target target;
    target.install_tool("echo run >>" + target.path("runs") + "\nexec sleep 60\n");
    const HostReadings readings = ask(target, shell, 1s);
    CHECK(readings.gpu_query.outcome == QueryOutcome::timed_out);
    CHECK(readings.process_query.outcome == QueryOutcome::not_asked);
    CHECK(test::read_file(target.path("runs")) == "run\n");
}

// The status of nvidia-smi arrives, with what it said on either stream.
void check_status_arrives(const std::string& shell) {
    const Target target;
    target.install_tool("echo 'Failed to initialize NVML: Insufficient Permissions' >&2\nexit 4\n");
    const HostReadings readings = ask(target, shell);
    CHECK(readings.gpu_query.exit_status == 4);
    REQUIRE(readings.gpu_query.errors.size() == 1);
    CHECK(readings.gpu_query.errors[0].kind == SmiErrorKind::insufficient_permissions);
}

// After a refused field the processes are still listed and the minimal pair follows.
void check_minimal_pair_follows(const std::string& shell) {
    const Target target;
    target.install_tool(
        "case \"$1\" in\n"
        "--query-gpu=index,memory.used) echo '0, 2 MiB' ;;\n"
        "--query-gpu=*) echo 'Field \"pstate\" is not a valid field to query.'; exit 2 ;;\n"
        "*) echo 'GPU-0, 77, python3, 1500 MiB' ;;\n"
        "esac\n");
    HostReadings readings = ask(target, shell);
    CHECK(readings.processes.size() == 1);
    const auto question = next_question(readings, {Question::full}, marker, 60s);
    REQUIRE(question);
    read_answer(question->question, target.run(shell, question->command.text), marker, readings);
    REQUIRE(readings.gpus.size() == 1);
    CHECK(readings.gpus[0].memory_used_mib == 2);
}

// Every shell asks ps for the owners.
void check_owners_are_asked(const std::string& shell) {
    HostReadings readings;
    readings.frame_seen = true;
    readings.ending = Ending::exited;
    readings.initial_pid_namespace = true;
    readings.processes.push_back({{}, getpid(), {}, {}});
    const auto question = next_question(readings, {Question::full}, marker, 60s);
    REQUIRE(question);
    const Target target;
    const CommandOutput output = target.run(shell, question->command.text);
    INFO(output.out);
    INFO(output.err);
    read_answer(Question::owners, output, marker, readings);
    // Some builds of this shell prefer a ps of their own, which takes no pids.
    if (shell == "busybox sh" && readings.owners.empty()) return;
    REQUIRE(readings.owners.size() == 1);
    CHECK(readings.owners[0].pid == getpid());
    CHECK_FALSE(readings.owners[0].user.empty());
    CHECK(readings.owners[0].age_seconds);
}

void check_everything(const std::string& shell) {
    INFO(shell);
    check_answer_is_read(shell);
    check_stuck_query_is_seen(shell);
    check_others_are_not_stuck(shell);
    check_tool_is_found(shell);
    check_hang_is_ended(shell);
    check_status_arrives(shell);
    check_minimal_pair_follows(shell);
    check_owners_are_asked(shell);
}

}  // namespace

TEST_CASE("sh runs every script and its answers are read") {
    check_everything("sh");
}

TEST_CASE("dash runs every script and its answers are read") {
    if (test::component_missing("dash")) return;
    check_everything("dash");
}

TEST_CASE("bash as sh runs every script and its answers are read") {
    if (test::component_missing("bash")) return;
    check_everything("bash --posix");
}

TEST_CASE("busybox sh runs every script and its answers are read") {
    if (test::component_missing("busybox")) return;
    check_everything("busybox sh");
}

TEST_CASE("ksh runs every script and its answers are read") {
    if (test::component_missing("ksh")) return;
    check_everything("ksh");
}

TEST_CASE("zsh as sh runs every script and its answers are read") {
    if (test::component_missing("zsh")) return;
    check_everything("zsh --emulate sh");
}

TEST_CASE("an unfinished line of an rc file does not swallow the frame") {
    const Target target;
    target.install_tool(two_gpus);
    CommandOutput output = target.run("sh", first_question(ProbeLevel::full, marker, 60s).text);
    output.out = "Loading modules ..." + output.out;
    HostReadings readings;
    read_answer(Question::full, output, marker, readings);
    CHECK(readings.frame_complete);
    CHECK(readings.gpus.size() == 2);
}
