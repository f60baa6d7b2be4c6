// Real containers, entered through the string for a login shell and a pct as Proxmox has it.

#include <signal.h>

#include <chrono>
#include <filesystem>

#include "gpumuster/probe/probe.hpp"
#include "gpumuster/transport/entry/container_failure.hpp"
#include "gpumuster/transport/entry/entry_lines.hpp"
#include "gpumuster/transport/entry/login_shell.hpp"
#include "support/catch.hpp"
#include "support/components.hpp"
#include "support/lxc_lab.hpp"
#include "support/pct.hpp"
#include "support/private_etc.hpp"
#include "support/program.hpp"
#include "support/sshd.hpp"
#include "support/temp_dir.hpp"

using namespace gpumuster;
using namespace gpumuster::test;
using std::chrono::seconds;

namespace {

using Kind = ContainerEntry::Kind;

const Marker marker{"00112233aabbccdd"};

RemoteCommand script(const std::string& text, seconds limit = seconds(60)) {
    return {RemoteCommand::Form::script, text, limit};
}

ContainerEntry by_pct(int number) {
    ContainerEntry container;
    container.name = std::to_string(number);
    return container;
}

CommandOutput output_of(const ProgramResult& run) {
    CommandOutput output;
    output.out = run.out;
    output.err = run.err;
    output.ending = Ending::exited;
    output.code = run.status;
    return output;
}

FakeSmi two_gpus() {
    return FakeSmi::with_memory({1523, 2});
}

// A Proxmox node as a login on it sees it.
class Node {
public:
    LxcLab& lab() { return lab_; }
    const Pct& pct() const { return pct_; }
    void set(const std::string& variable, const std::string& value) {
        environment_[variable] = value;
    }
    void hide_pct() const { std::filesystem::remove(bin_.file("pct")); }
    // A file of /etc/pve.
    void pve(const std::string& path) { pve_["pve/" + path] = ""; }

    CommandOutput run(const RemoteCommand& command, const ContainerEntry& container,
                      const std::vector<std::string>& shell = {"/bin/sh"}) const {
        ProgramOrder order;
        order.argv = {"timeout", "-k", "1", "60"};
        order.argv.insert(order.argv.end(), shell.begin(), shell.end());
        order.argv.insert(order.argv.end(), {"-c", for_login_shell(command, container)});
        order.environment = environment_;
        order.environment["PATH"] = bin_.path() + ":/usr/bin:/bin";
        if (pve_.empty()) return output_of(run_program(order));
        const PrivateEtc etc(pve_);
        order.argv = etc.around(order.argv);
        return output_of(run_program(order));
    }

private:
    LxcLab lab_;
    TempDir bin_;
    Pct pct_{lab_, bin_.path()};
    std::map<std::string, std::string> environment_;
    std::map<std::string, std::string> pve_;
};

Failure failure_of(const CommandOutput& output, const ContainerEntry& container) {
    INFO(output.out);
    INFO(output.err);
    INFO(output.code);
    const std::optional<Failure> failure =
        container_failure(output, container, {0, "gpu-a", {}, "root@pve1"});
    REQUIRE(failure);
    return *failure;
}

void check_two_gpus(const CommandOutput& output, const ContainerEntry& container) {
    INFO(output.out);
    INFO(output.err);
    CHECK_FALSE(container_failure(output, container, {0, "gpu-a", {}, {}}));
    HostReadings readings;
    read_answer(Question::full, output, marker, readings);
    CHECK(output.code == 0);
    CHECK(readings.frame_complete);
    CHECK(readings.effective_uid == 0);
    CHECK(readings.initial_pid_namespace == false);
    REQUIRE(readings.gpus.size() == 2);
    CHECK(readings.gpus[0].memory_used_mib == 1523);
}

RemoteCommand full_question(seconds limit = seconds(60)) {
    return first_question(ProbeLevel::full, marker, limit);
}

}  // namespace

TEST_CASE("a running container answers in full, and to the bare question") {
    if (lxc_missing()) return;
    Node node;
    const ContainerEntry container = by_pct(node.lab().add_running(two_gpus()));
    check_two_gpus(node.run(full_question(), container), container);

    // pct hands on a PATH that its nvidia-smi is not on.
    const CommandOutput bare =
        node.run(first_question(ProbeLevel::minimal, marker, seconds(60)), container);
    INFO(bare.err);
    CHECK(bare.out == "0, 1523 MiB\n1, 2 MiB\n");
    CHECK(bare.code == 0);
}

TEST_CASE("every login shell leads into the container, and every byte with it") {
    if (lxc_missing()) return;
    Node node;
    const ContainerEntry container = by_pct(node.lab().add_running(two_gpus()));
    const std::map<std::string, std::vector<std::string>> shells{
        {"sh", {}},   {"bash", {}}, {"dash", {}}, {"zsh", {}},
        {"fish", {}}, {"tcsh", {}}, {"ksh", {}},  {"busybox", {"sh"}}};
    const std::string text = R"(it's "so" $HOME ${A}$(id) `id` * a;b&c|d {x,y} [z]? ~ # % ^ =q @)";
    std::string quoted;
    for (const char c : text) quoted += c == '\'' ? std::string(R"('"'"')") : std::string(1, c);
    for (const auto& [shell, words] : shells) {
        if (component_missing(shell)) continue;
        INFO(shell);
        std::vector<std::string> argv{program_path(shell)};
        argv.insert(argv.end(), words.begin(), words.end());
        const CommandOutput output = node.run(
            script("printf %s '" + quoted + "';read -r x||echo +;exit 9"), container, argv);
        INFO(output.err);
        CHECK(output.out == text + "+\n");
        CHECK(output.code == 9);
        CHECK_FALSE(container_failure(output, container, {0, "gpu-a", {}, {}}));
        check_two_gpus(node.run(full_question(), container, argv), container);
    }
}

TEST_CASE("lxc-attach enters as the words of an entry, and says what pct would not") {
    if (lxc_missing()) return;
    Node node;
    const int number = node.lab().add_running(two_gpus());
    ContainerEntry container;
    container.kind = Kind::exec;
    container.argv = {"lxc-attach",  "-P", node.lab().path(), "-n", std::to_string(number),
                      "--clear-env", "--"};
    check_two_gpus(node.run(full_question(), container), container);
    node.lab().stop(number);
    CHECK(failure_of(node.run(full_question(), container), container).kind ==
          FailureKind::container_not_running);
}

TEST_CASE("a stopped container is not running, and one that nobody has is absent") {
    if (lxc_missing()) return;
    Node node;
    const int number = node.lab().add();
    const Failure stopped = failure_of(node.run(full_question(), by_pct(number)), by_pct(number));
    CHECK(stopped.kind == FailureKind::container_not_running);
    CHECK(stopped.message == "container '" + std::to_string(number) + "' not running!");
    CHECK_THAT(stopped.next_step, ContainsSubstring("pct start " + std::to_string(number)));

    const Failure absent = failure_of(node.run(full_question(), by_pct(101)), by_pct(101));
    CHECK(absent.kind == FailureKind::container_absent);
    CHECK(absent.message == "Configuration file 'nodes/pve1/lxc/101.conf' does not exist");
}

TEST_CASE("a container of another node of the cluster is named with its node") {
    if (lxc_missing() || namespaces_missing()) return;
    Node node;
    const ContainerEntry here = by_pct(node.lab().add_running(two_gpus()));
    node.pve("lxc/" + here.name + ".conf");
    node.pve("nodes/pve2/lxc/101.conf");
    node.pve("nodes/pve2/qemu-server/102.conf");
    check_two_gpus(node.run(full_question(), here), here);
    const std::size_t calls = node.pct().calls();

    const Failure elsewhere = failure_of(node.run(full_question(), by_pct(101)), by_pct(101));
    CHECK(elsewhere.kind == FailureKind::container_on_other_node);
    CHECK(elsewhere.message == "container 101 is on node pve2");
    const Failure machine = failure_of(node.run(full_question(), by_pct(102)), by_pct(102));
    CHECK(machine.kind == FailureKind::container_absent);
    CHECK_THAT(machine.next_step, ContainsSubstring("qm guest exec 102"));
    CHECK(node.pct().calls() == calls);
}

TEST_CASE("a frozen container is told before it is entered, and answers again when it is thawed") {
    if (lxc_missing()) return;
    Node node;
    const int number = node.lab().add_running(two_gpus());
    node.lab().freeze(number);
    const Failure frozen = failure_of(node.run(full_question(), by_pct(number)), by_pct(number));
    CHECK(frozen.kind == FailureKind::container_frozen);
    CHECK_THAT(frozen.next_step, ContainsSubstring("lxc-unfreeze -n " + std::to_string(number)));
    CHECK(node.pct().calls() == 0);
    node.lab().thaw(number);
    check_two_gpus(node.run(full_question(), by_pct(number)), by_pct(number));
}

TEST_CASE("a host without pct, and a login that may not use it") {
    if (lxc_missing()) return;
    Node node;
    const ContainerEntry container = by_pct(node.lab().add_running(two_gpus()));
    node.pct().refuse_everybody();
    const Failure refused = failure_of(node.run(full_question(), container), container);
    CHECK(refused.kind == FailureKind::container_not_root);
    CHECK_THAT(refused.message, Catch::Matchers::StartsWith("ipcc_send_rec[1] failed"));
    CHECK_THAT(refused.next_step, ContainsSubstring("user: root"));

    node.hide_pct();
    if (has_component("pct")) return;
    const Failure missing = failure_of(node.run(full_question(), container), container);
    CHECK(missing.kind == FailureKind::container_tool_missing);
    CHECK(missing.message == "the host has no pct");
}

TEST_CASE("a container without /bin/sh is told from one that cannot be entered") {
    if (lxc_missing()) return;
    Node node;
    const int number = node.lab().add_running(two_gpus());
    std::filesystem::remove(node.lab().root(number) + "/bin/sh");
    const Failure failure = failure_of(node.run(full_question(), by_pct(number)), by_pct(number));
    CHECK(failure.kind == FailureKind::container_failed);
    CHECK_THAT(failure.message, ContainsSubstring("Failed to exec \"/bin/sh\""));
    CHECK_THAT(failure.next_step, ContainsSubstring("no /bin/sh"));
}

TEST_CASE("a locale that the host does not have does no harm on the way in") {
    if (lxc_missing() || component_missing("bash")) return;
    Node node;
    const int number = node.lab().add_running(two_gpus());
    const int stopped = node.lab().add();
    for (const char* name : {"LC_ALL", "LANG", "LANGUAGE"}) node.set(name, "xx_XX.UTF-8");
    const std::vector<std::string> bash{program_path("bash")};
    const CommandOutput output = node.run(full_question(), by_pct(number), bash);
    CHECK_THAT(output.err, ContainsSubstring("setlocale"));
    CHECK(output.err.find("perl: warning") == std::string::npos);
    check_two_gpus(output, by_pct(number));
    const Failure failure =
        failure_of(node.run(full_question(), by_pct(stopped), bash), by_pct(stopped));
    CHECK(failure.message == "container '" + std::to_string(stopped) + "' not running!");
}

TEST_CASE("through a real sshd, and nothing is left in the container when the client goes away") {
    if (lxc_missing() || component_missing("sshd") || component_missing("ssh")) return;
    LxcLab lab;
    FakeSmi hanging = two_gpus();
    const int number = lab.add_running(hanging);
    const TempDir client;
    const ClientKey key = make_client_key(client, "key");
    SshdOptions options;
    options.authorized_key = key.public_line;
    const Sshd sshd(options);
    const Pct pct(lab, sshd.bin());
    client.write("known_hosts", sshd.known_hosts_line() + "\n");
    const auto ssh = [&](const RemoteCommand& command) {
        ProgramOrder order;
        order.argv = {"timeout",
                      "60",
                      "ssh",
                      "-F",
                      "none",
                      "-i",
                      key.path,
                      "-o",
                      "BatchMode=yes",
                      "-o",
                      "IdentitiesOnly=yes",
                      "-o",
                      "UserKnownHostsFile=" + client.file("known_hosts"),
                      "-p",
                      std::to_string(sshd.port()),
                      current_user() + "@127.0.0.1",
                      for_login_shell(command, by_pct(number))};
        return order;
    };
    check_two_gpus(output_of(run_program(ssh(full_question()))), by_pct(number));
    CHECK(lab.wait_until_idle(number));

    SECTION("a query that hangs is ended by its own limit") {
        hanging.full.hangs = true;
        write_fake_smi(hanging, lab.root(number) + "/usr/local/bin");
        BackgroundProgram running(ssh(full_question(seconds(6))), client.file("out"),
                                  client.file("err"));
        REQUIRE(lab.wait_for_process(number, "/bin/sleep 600"));
        running.send_signal(SIGTERM);
        running.wait();
        CHECK(lab.wait_until_idle(number));
    }
    SECTION("and so is a command that has none of its own") {
        hanging.minimal.hangs = true;
        write_fake_smi(hanging, lab.root(number) + "/usr/local/bin");
        BackgroundProgram running(ssh(first_question(ProbeLevel::minimal, marker, seconds(4))),
                                  client.file("out"), client.file("err"));
        REQUIRE(lab.wait_for_process(number, "/bin/sleep 600"));
        running.send_signal(SIGTERM);
        running.wait();
        // The client's end alone ends nothing in there: the limit has to.
        CHECK(lab.wait_for_process(number, "/bin/sleep 600"));
        CHECK(lab.wait_until_idle(number));
    }
}

TEST_CASE("the lab's pct has pct's way with options") {
    if (lxc_missing()) return;
    LxcLab lab;
    const TempDir bin;
    const Pct pct(lab, bin.path());
    const std::string number = std::to_string(lab.add_running());
    const auto run = [&](std::vector<std::string> words) {
        words.insert(words.begin(), {"timeout", "20", bin.file("pct")});
        ProgramOrder order;
        order.argv = std::move(words);
        return run_program(order);
    };
    CHECK(run({"exec", number, "--", "echo", "-q", "a  b"}).out == "-q a  b\n");
    CHECK(run({"exec", number, "--", "echo", "--", "-l"}).out == "-- -l\n");
    CHECK(run({"exec", number, "echo", "-k"}).out == "\n");
    CHECK_THAT(run({"exec", number, "echo", "-q"}).err,
               Catch::Matchers::StartsWith("Unknown option: q\n400 unable"));
    CHECK_THAT(run({"exec", "--", number, "--", "echo"}).err, ContainsSubstring("Failed to exec"));
    CHECK_THAT(run({"exec", number}).err, Catch::Matchers::StartsWith("missing command at"));
    CHECK(run({"exec", number, "--", "sh", "-c", "echo $PATH"}).out ==
          "/sbin:/bin:/usr/sbin:/usr/bin\n");
    CHECK(run({"exec", number, "--keep-env", "0", "--", "sh", "-c", "echo $LAB"}).out == "\n");
    CHECK(run({"exec", number, "--", "sh", "-c", "exit 9"}).status == 9);
    CHECK(run({"status", number}).out == "status: running\n");
}

TEST_CASE("a lab of containers leaves nothing behind") {
    if (lxc_missing()) return;
    std::string path;
    std::string name;
    {
        LxcLab lab;
        const int frozen = lab.add_running(two_gpus());
        lab.freeze(frozen);
        name = std::to_string(lab.add_running());
        path = lab.path();
    }
    CHECK_FALSE(std::filesystem::exists(path));
    CHECK_FALSE(std::filesystem::exists("/run/lxc/lock" + path));
    CHECK(read_file("/proc/net/unix").find(path) == std::string::npos);
    CHECK(read_file("/proc/self/mounts").find(path) == std::string::npos);
    for (const char* root :
         {"/sys/fs/cgroup", "/sys/fs/cgroup/unified", "/sys/fs/cgroup/freezer"}) {
        CHECK_FALSE(std::filesystem::exists(std::string(root) + "/lxc/" + name));
    }
}
