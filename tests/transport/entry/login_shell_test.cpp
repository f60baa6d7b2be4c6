#include "gpumuster/transport/entry/login_shell.hpp"

#include <unistd.h>

#include <filesystem>

#include "gpumuster/probe/probe.hpp"
#include "gpumuster/transport/entry/entry_lines.hpp"
#include "support/catch.hpp"
#include "support/components.hpp"
#include "support/program.hpp"
#include "support/temp_dir.hpp"

using namespace gpumuster;
using namespace gpumuster::test;

namespace {

RemoteCommand script(const std::string& text) {
    return {RemoteCommand::Form::script, text};
}

// A machine whose users have `program` as their login shell, and a fake nvidia-smi.
class Target {
public:
    // `name` is what the shell is called by: busybox decides by it what it is.
    Target(const std::string& program, const std::string& name) : shell_(folder_.file(name)) {
        std::filesystem::create_symlink(program_path(program), shell_);
        std::filesystem::create_directory(folder_.file("bin"));
    }

    void install_tool(const std::string& body) const {
        folder_.write("bin/nvidia-smi", "#!/bin/sh\n" + body, 0700);
    }

    // As sshd does: the shell, "-c" and the string.
    ProgramResult run(const RemoteCommand& command,
                      const std::optional<ContainerEntry>& container = {}) const {
        ProgramOrder order;
        order.argv = {shell_, "-c", for_login_shell(command, container)};
        order.environment = {{"HOME", folder_.path()},
                             {"PATH", folder_.file("bin") + ":/usr/bin:/bin"},
                             {"SHELL", shell_}};
        return run_program(order);
    }

private:
    TempDir folder_;
    std::string shell_;
};

const char* const two_gpus =
    "case \"$1\" in\n"
    "--query-gpu=*)\n"
    "echo '0, GPU-0, NVIDIA H200, 00000000:83:00.0, 143771 MiB, 1523 MiB, 0 %, 28, P0, 590.48.01'\n"
    "echo '1, GPU-1, NVIDIA H200, 00000000:84:00.0, 143771 MiB, [N/A], 0 %, 28, P0, 590.48.01' ;;\n"
    "*) echo 'GPU-0, 77, python3, 1500 MiB' ;;\n"
    "esac\n";

void check_special_characters(const Target& target) {
    for (const std::string text :
         {R"(it's)", R"(''')", R"("quoted")", R"($HOME)", R"(${HOME}$(id)`id`)", R"(*)", R"(a;b)",
          R"(a&b && c || d | e)", R"(a  b   c)", R"(~ ~root)", R"(# no comment)", R"({a,b}[x]?)",
          R"(<in >out 2>&1)", R"(%1 ^a^b =x @ ,)", R"('"'"')"}) {
        INFO(text);
        std::string quoted;
        for (const char c : text) quoted += c == '\'' ? std::string(R"('"'"')") : std::string(1, c);
        const ProgramResult run = target.run(script("printf %s '" + quoted + "'"));
        CHECK(run.out == text);
        CHECK(run.err.empty());
        CHECK(run.status == 0);
    }
}

void check_the_script_is_a_posix_script(const Target& target) {
    const ProgramResult run =
        target.run(script("f(){ echo \"$1 of $2\";};x='a  b';for i in 1 2;do f $i \"$x\";done;"
                          "if [ -z \"$nothing\" ];then echo \"*\" >&2;fi;exit 7"));
    CHECK(run.out == "1 of a  b\n2 of a  b\n");
    CHECK(run.err == "*\n");
    CHECK(run.status == 7);
}

void check_the_first_question(const Target& target) {
    target.install_tool(two_gpus);
    const Marker marker{"00112233aabbccdd"};
    const ProgramResult run =
        target.run(first_question(ProbeLevel::full, marker, std::chrono::seconds(60)));
    INFO(run.out);
    CommandOutput output;
    output.out = run.out;
    output.err = run.err;
    output.ending = Ending::exited;
    output.code = run.status;
    HostReadings readings;
    read_answer(Question::full, output, marker, readings);

    CHECK(run.err.find("syntax") == std::string::npos);
    CHECK(readings.exit_status == 0);
    CHECK(readings.frame_seen);
    CHECK(readings.frame_complete);
    CHECK(readings.effective_uid == static_cast<int>(::geteuid()));
    CHECK(readings.gpu_query.outcome == QueryOutcome::answered);
    REQUIRE(readings.gpus.size() == 2);
    CHECK(readings.gpus[0].memory_used_mib == 1523);
    CHECK(readings.gpus[1].pci_bus_id == "00000000:84:00.0");
    CHECK_FALSE(readings.gpus[1].memory_used_mib);
    CHECK(readings.process_query.outcome == QueryOutcome::answered);
    REQUIRE(readings.processes.size() == 1);
    CHECK(readings.processes[0].pid == 77);
}

void check_the_bare_question(const Target& target) {
    target.install_tool("echo \"$#: $*\"\n");
    const ProgramResult run = target.run(
        first_question(ProbeLevel::minimal, Marker{"00112233aabbccdd"}, std::chrono::seconds(60)));
    CHECK(run.out == "2: --query-gpu=index,memory.used --format=csv,noheader\n");
    CHECK(run.status == 0);
}

ContainerEntry entered_by(std::vector<std::string> argv) {
    ContainerEntry container;
    container.kind = ContainerEntry::Kind::exec;
    container.argv = std::move(argv);
    return container;
}

// `env` stands for the tool: what it runs, it runs here.
void check_entering(const Target& target) {
    const std::vector<std::string> words{R"(A=it's "so" $HOME $(id) `id` *)",
                                         R"(B=a;b&c|d<e>f {g,h} [i]? ~ # % ^ = @)", "C="};
    std::vector<std::string> argv = words;
    argv.insert(argv.begin(), "env");
    for (const auto form : {RemoteCommand::Form::script, RemoteCommand::Form::bare}) {
        const RemoteCommand command{form, "printf '<%s>' \"$A\" \"$B\" \"$C\" '*';exit 7"};
        const ProgramResult run = target.run(command, entered_by(argv));
        INFO(run.err);
        CHECK(run.out == "<" + words[0].substr(2) + "><" + words[1].substr(2) + "><><*>");
        CHECK(run.status == 7);
        CommandOutput output;
        output.err = run.err;
        CHECK(read_entry(output).has_entered);
        drop_entry_lines(output);
        CHECK(output.err.empty());
    }
}

void check_login_shell(const std::string& program, const std::string& name) {
    if (component_missing(program)) return;
    const Target target(program, name);
    check_entering(target);
    check_special_characters(target);
    check_the_script_is_a_posix_script(target);
    check_the_first_question(target);
    check_the_bare_question(target);
}

}  // namespace

TEST_CASE("a script becomes one argument of the host's own sh") {
    CHECK(for_login_shell(script("echo hello")) == "exec /bin/sh -c 'echo hello'");
    CHECK(for_login_shell(script("")) == "exec /bin/sh -c ''");
    CHECK(for_login_shell(script("a;b && c \"$d\" *")) == "exec /bin/sh -c 'a;b && c \"$d\" *'");
}

TEST_CASE("only single quotes are escaped, each by itself") {
    CHECK(for_login_shell(script("echo 'x'")) == R"(exec /bin/sh -c 'echo '"'"'x'"'"'')");
    CHECK(for_login_shell(script("'")) == R"(exec /bin/sh -c ''"'"'')");
    CHECK(for_login_shell(script("''")) == R"(exec /bin/sh -c ''"'"''"'"'')");
}

TEST_CASE("a bare command is handed on as it stands") {
    const RemoteCommand bare{RemoteCommand::Form::bare, "nvidia-smi 'a b' \"$c\""};
    CHECK(for_login_shell(bare) == "nvidia-smi 'a b' \"$c\"");
}

TEST_CASE("a container's string is one line that every shell can take") {
    ContainerEntry pct;
    pct.name = "129";
    ContainerEntry docker;
    docker.kind = ContainerEntry::Kind::docker;
    docker.name = "trainer";
    for (const ContainerEntry& container :
         {pct, docker, entered_by({"incus", "exec", "a", "--"})}) {
        const std::string text = for_login_shell(script("echo hello"), container);
        INFO(text);
        CHECK_THAT(text, Catch::Matchers::StartsWith("exec /bin/sh -c '"));
        for (const char c : text) {
            const bool is_harmless = c >= 0x20 && c <= 0x7e && c != '!' && c != '\\';
            if (!is_harmless) FAIL_CHECK("not for every shell: " << static_cast<int>(c));
        }
    }
}

TEST_CASE("each tool gets its words, then the shell of the container") {
    ContainerEntry pct;
    pct.name = "129";
    CHECK_THAT(for_login_shell(script("echo hello"), pct),
               Catch::Matchers::EndsWith("' 'echo hello' 'pct' 'exec' '129' '--'"));
    ContainerEntry docker;
    docker.kind = ContainerEntry::Kind::docker;
    docker.name = "trainer";
    CHECK_THAT(for_login_shell(script("echo hello"), docker),
               Catch::Matchers::EndsWith("' 'echo hello' 'docker' 'exec' 'trainer'"));
    CHECK_THAT(for_login_shell(script("echo it's"), entered_by({"lxc", "exec", "it's", "--"})),
               Catch::Matchers::EndsWith(R"(' 'echo it'"'"'s' 'lxc' 'exec' 'it'"'"'s' '--')"));
}

TEST_CASE("a command in a container is bounded in there, a little after its limit") {
    RemoteCommand command = script("sleep 600");
    command.limit = std::chrono::milliseconds(59'001);
    CHECK_THAT(for_login_shell(command, entered_by({"env"})), ContainsSubstring("timeout -k 2 61"));
    CHECK_FALSE(for_login_shell(command).find("timeout") != std::string::npos);
}

TEST_CASE("a login shell sh hands a script on unharmed") {
    check_login_shell("sh", "sh");
}
TEST_CASE("a login shell bash hands a script on unharmed") {
    check_login_shell("bash", "bash");
}
TEST_CASE("a login shell dash hands a script on unharmed") {
    check_login_shell("dash", "dash");
}
TEST_CASE("a login shell zsh hands a script on unharmed") {
    check_login_shell("zsh", "zsh");
}
TEST_CASE("a login shell fish hands a script on unharmed") {
    check_login_shell("fish", "fish");
}
TEST_CASE("a login shell tcsh hands a script on unharmed") {
    check_login_shell("tcsh", "tcsh");
}
TEST_CASE("a login shell ksh hands a script on unharmed") {
    check_login_shell("ksh", "ksh");
}
TEST_CASE("a login shell of busybox hands a script on unharmed") {
    check_login_shell("busybox", "ash");
}
