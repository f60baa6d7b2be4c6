// How ssh is asked: what becomes of one that hangs, refuses, fails or babbles, of many names, and
// of a run that is interrupted.

#include "gpumuster/transport/settings/config_survey.hpp"

#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <sstream>
#include <thread>

#include <fmt/format.h>

#include "config_lab.hpp"
#include "support/catch.hpp"
#include "support/descriptors.hpp"
#include "support/processes.hpp"
#include "support/program.hpp"

using namespace gpumuster;
using namespace gpumuster::test;
using namespace std::chrono_literals;

namespace {

// In the place of ssh: a shell script.
class ProgramLab : public ConfigLab {
public:
    explicit ProgramLab(const std::string& script) {
        source.ssh_program = folder.write("ssh", "#!/bin/sh\n" + script, 0700);
    }
};

Failure failure_of(const ConfigLab& lab) {
    const auto settings = lab.resolve(host_named("gpu1"));
    REQUIRE_FALSE(settings.has_value());
    CHECK(settings.error().hop.index == 0);
    CHECK(settings.error().hop.name == "gpu1");
    return settings.error();
}

// Waits, up to ten seconds, for the number that a script writes into a file.
pid_t number_in(const std::string& path) {
    for (int i = 0; i < 1000; ++i) {
        const std::string text = read_file(path);
        if (text.ends_with('\n')) return std::stoi(text);
        std::this_thread::sleep_for(10ms);
    }
    return 0;
}

// Hangs for the host gpu1 only.
std::string hanging_config(const std::string& pid_file) {
    return "Match originalhost gpu1 exec \"echo $$ >" + pid_file + "; exec sleep 600\"\n User x\n";
}

}  // namespace

TEST_CASE("a configuration that hangs costs its host the limit, and nobody else anything") {
    if (component_missing("ssh")) return;
    ConfigLab lab;
    const std::string pid_file = lab.folder.file("pid");
    lab.configure(hanging_config(pid_file) + "Host gpu3\n ProxyJump gpu1\n");
    lab.source.limit = 1500ms;
    const ResolvedTargets resolved =
        lab.resolve_all({host_named("gpu1"), host_named("gpu2"), host_named("gpu3")});
    REQUIRE_FALSE(resolved.targets[0].settings.has_value());
    CHECK(resolved.targets[0].settings.error().kind == FailureKind::config_timeout);
    CHECK(resolved.targets[0].settings.error().message == "ssh -G did not end within 1.5 s");
    CHECK(resolved.targets[1].settings.has_value());
    REQUIRE_FALSE(resolved.targets[2].settings.has_value());
    CHECK(resolved.targets[2].settings.error().kind == FailureKind::config_timeout);
    CHECK(resolved.targets[2].settings.error().hop.index == 1);
    CHECK(resolved.targets[2].settings.error().hop.name == "gpu1");
    CHECK(has_gone(number_in(pid_file)));
}

TEST_CASE("a run that is interrupted ends at once, with what hangs and with what was not begun") {
    if (component_missing("ssh")) return;
    ConfigLab lab;
    const std::string pid_file = lab.folder.file("pid");
    lab.configure("Match exec \"echo $$ >" + pid_file + "; exec sleep 600\"\n User x\n");
    lab.source.limit = 300s;
    std::vector<Host> hosts;
    for (int i = 0; i < 100; ++i) hosts.push_back(host_named(fmt::format("gpu{}", i)));
    std::stop_source stop;
    std::chrono::steady_clock::time_point stopped;
    std::thread interrupter([&] {
        number_in(pid_file);
        stopped = std::chrono::steady_clock::now();
        stop.request_stop();
    });
    const ResolvedTargets resolved = lab.resolve_all(hosts, stop.get_token());
    const auto ended = std::chrono::steady_clock::now();
    interrupter.join();
    CHECK(ended - stopped < 10s);
    REQUIRE(resolved.targets.size() == 100);
    for (const Target& target : resolved.targets) {
        REQUIRE_FALSE(target.settings.has_value());
        CHECK(target.settings.error().kind == FailureKind::run_interrupted);
        CHECK(target.settings.error().hop.name == target.host.name);
    }
    CHECK(has_gone(number_in(pid_file)));
}

TEST_CASE("a run that was interrupted before asks nothing") {
    const ProgramLab lab("touch \"$0.was_asked\"\n");
    std::stop_source stop;
    stop.request_stop();
    const ResolvedTargets resolved = lab.resolve_all({host_named("gpu1")}, stop.get_token());
    REQUIRE_FALSE(resolved.targets[0].settings.has_value());
    CHECK(resolved.targets[0].settings.error().kind == FailureKind::run_interrupted);
    CHECK(read_file(lab.source.ssh_program + ".was_asked").empty());
    CHECK(::access((lab.source.ssh_program + ".was_asked").c_str(), F_OK) != 0);
}

TEST_CASE("an ssh that cannot be started, breaks off or babbles is a failure with the reason") {
    ConfigLab lab;
    lab.source.ssh_program = "/nonexistent/ssh";
    Failure failure = failure_of(lab);
    CHECK(failure.kind == FailureKind::config_failed);
    CHECK(failure.message == "/nonexistent/ssh could not be started: No such file or directory");

    failure = failure_of(ProgramLab("echo 'no\033[31m idea' >&2; exit 3\n"));
    CHECK(failure.kind == FailureKind::config_failed);
    CHECK(failure.message == "ssh -G ended with status 3, and said: no\\x1b[31m idea");

    failure = failure_of(ProgramLab("kill -KILL $$\n"));
    CHECK(failure.kind == FailureKind::config_failed);
    CHECK(failure.message == "ssh -G was killed by SIGKILL");

    failure = failure_of(ProgramLab("exec cat /dev/zero\n"));
    CHECK(failure.kind == FailureKind::config_failed);
    CHECK(failure.message == "ssh -G printed more than a configuration can be");

    failure = failure_of(ProgramLab("echo usage: ssh\n"));
    CHECK(failure.kind == FailureKind::config_failed);
    CHECK(failure.message == "the answer of ssh -G cannot be read: it names no hostname");
}

TEST_CASE("of what a refusing ssh says, the first line that says something is told") {
    const Failure failure = failure_of(ProgramLab(
        "echo 'Pseudo-terminal will not be allocated because stdin is not a terminal.' >&2\n"
        "echo '/home/a/.ssh/config: line 7: Bad configuration option: tagg' >&2\n"
        "echo 'terminating, 1 bad configuration options' >&2; exit 255\n"));
    CHECK(failure.kind == FailureKind::config_refused);
    CHECK(failure.message ==
          "ssh says: /home/a/.ssh/config: line 7: Bad configuration option: tagg");
}

namespace {

// Says of every name that it is its own address, and keeps a list of the names.
const std::string parrot = R"(for name; do :; done
echo "$name" >>"$0.asked"
printf 'hostname %s\nuser anna\nport 22\n' "$name"
)";

std::vector<std::string> lines_of(const std::string& path) {
    std::vector<std::string> lines;
    std::istringstream text(read_file(path));
    for (std::string line; std::getline(text, line);) lines.push_back(line);
    return lines;
}

}  // namespace

TEST_CASE("each name, user and port is asked for once, also as a hop of many hosts") {
    const ProgramLab lab(parrot);
    std::vector<Host> hosts;
    for (const char* name : {"gpu1", "gpu2", "gpu1", "door"}) {
        Host host = host_named(name);
        if (host.name != "door") {
            host.settings.jump.emplace();
            host.settings.jump->push_back({"door", {}, {}, {}, {}});
        }
        hosts.push_back(host);
    }
    for (const Target& target : lab.resolve_all(hosts).targets) CHECK(target.settings.has_value());
    auto asked = lines_of(lab.source.ssh_program + ".asked");
    std::sort(asked.begin(), asked.end());
    // "localhost" is for ssh's own defaults.
    CHECK(asked == std::vector<std::string>{"door", "gpu1", "gpu2", "localhost"});
}

TEST_CASE("2,000 names are asked for with few descriptors, and none is left open") {
    const ProgramLab lab(parrot);
    std::vector<Host> hosts;
    for (int i = 0; i < 2000; ++i) hosts.push_back(host_named(fmt::format("gpu{}", i)));
    const std::size_t open_before = open_descriptors();
    rlimit before{};
    REQUIRE(::getrlimit(RLIMIT_NOFILE, &before) == 0);
    rlimit few = before;
    few.rlim_cur = static_cast<rlim_t>(open_before + 150);
    REQUIRE(::setrlimit(RLIMIT_NOFILE, &few) == 0);
    const ResolvedTargets resolved = lab.resolve_all(hosts);
    REQUIRE(::setrlimit(RLIMIT_NOFILE, &before) == 0);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < resolved.targets.size(); ++i) {
        const Target& target = resolved.targets[i];
        const bool is_right =
            target.settings && target.settings->target.address == fmt::format("gpu{}", i);
        if (!is_right) ++wrong;
    }
    CHECK(resolved.targets.size() == 2000);
    CHECK(wrong == 0);
    CHECK(open_descriptors() == open_before);
}

TEST_CASE("a Match exec that asks for a terminal gets none") {
    if (component_missing("ssh")) return;
    ConfigLab lab;
    lab.configure("Match !exec \"true </dev/tty\"\n User joe\n");
    const auto settings = lab.resolve(host_named("gpu1"));
    REQUIRE(settings.has_value());
    CHECK(settings->target.user == "joe");
}
