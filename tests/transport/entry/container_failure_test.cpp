#include "gpumuster/transport/entry/container_failure.hpp"

#include <vector>

#include "support/catch.hpp"

using namespace gpumuster;

namespace {

using K = FailureKind;

ContainerEntry pct() {
    ContainerEntry container;
    container.name = "129";
    return container;
}

ContainerEntry docker() {
    ContainerEntry container;
    container.kind = ContainerEntry::Kind::docker;
    container.name = "trainer";
    return container;
}

ContainerEntry entered_by(std::vector<std::string> argv) {
    ContainerEntry container;
    container.kind = ContainerEntry::Kind::exec;
    container.argv = std::move(argv);
    return container;
}

HopRef node() {
    return {0, "gpu-a", "192.0.2.7", "-p 2222 root@pve1"};
}

CommandOutput ended(int code, const std::string& err, const std::string& out = {}) {
    CommandOutput output;
    output.out = out;
    output.err = err;
    output.ending = Ending::exited;
    output.code = code;
    return output;
}

constexpr const char* entering = "\ngpumuster-entry: entering\n";

// The tool was started and said this.
CommandOutput said(int code, const std::string& text) {
    return ended(code, entering + text);
}

Failure failure_by(const CommandOutput& output, const ContainerEntry& container) {
    INFO(output.err);
    const std::optional<Failure> failure = container_failure(output, container, node());
    REQUIRE(failure.has_value());
    CHECK(failure->stage == Stage::container);
    CHECK(failure->hop.name == "gpu-a");
    CHECK_FALSE(failure->next_step.empty());
    return *failure;
}

struct Row {
    ContainerEntry container;
    int code;
    std::string text;
    K kind;
    std::string next_step;  // a part of it
};

void check_rows(const std::vector<Row>& rows) {
    for (const Row& row : rows) {
        const Failure failure = failure_by(said(row.code, row.text + "\n"), row.container);
        INFO(row.text);
        CHECK(failure_info(failure.kind).id == failure_info(row.kind).id);
        CHECK_THAT(failure.next_step, ContainsSubstring(row.next_step));
        CHECK_FALSE(failure.message.empty());
    }
}

}  // namespace

TEST_CASE("what pct says becomes a kind, whatever its exit status") {
    check_rows({
        {pct(), 25, "container '129' not running!", K::container_not_running, ": pct start 129"},
        {pct(), 2, "container '129' not running!", K::container_not_running, ": pct start 129"},
        {pct(), 2, "Configuration file 'nodes/pve/lxc/129.conf' does not exist",
         K::container_absent, "check the name or number"},
        {pct(), 255,
         "ipcc_send_rec[1] failed: Unknown error -1\nipcc_send_rec[2] failed: Unknown error -1\n"
         "Unable to load access control list: Unknown error -1",
         K::container_not_root, "set user: root"},
        {pct(), 25, "please run as root", K::container_not_root, "set user: root"},
        {pct(), 255,
         "ipcc_send_rec[1] failed: Connection refused\npve configuration filesystem (pmxcfs) not "
         "mounted",
         K::container_failed, "ssh -p 2222 root@pve1 pct exec 129 -- true"},
        {pct(), 255, "400 Parameter verification failed.\nvmid: type check", K::container_failed,
         "pct exec 129 -- true"},
    });
}

TEST_CASE("what lxc-attach says becomes a kind") {
    const ContainerEntry container = entered_by({"/usr/bin/lxc-attach", "-n", "gpu-a", "--"});
    check_rows({
        {container, 1,
         "lxc-attach: gpu-a: ../src/lxc/attach.c: get_attach_context: 406 Connection refused - "
         "Failed to get init pid",
         K::container_not_running, "start the container"},
        {pct(), 1,
         "lxc-attach: 129: ../src/lxc/attach.c: lxc_attach: 1470 Connection refused - "
         "Failed to get attach context",
         K::container_not_running, "pct start 129"},
        {pct(), 127,
         "lxc-attach: 129: ../src/lxc/attach.c: lxc_attach_run_command: 1841 No such file or "
         "directory - Failed to exec \"/bin/sh\"",
         K::container_failed, "no /bin/sh"},
        {container, 1, "You lack access to /home/ada/.local/share/lxc", K::container_not_root,
         "set user: root"},
    });
}

TEST_CASE("what docker and podman say becomes a kind") {
    const ContainerEntry podman = entered_by({"podman", "exec", "trainer"});
    check_rows({
        {docker(), 1, "Error response from daemon: No such container: trainer", K::container_absent,
         "docker ps -a"},
        {docker(), 1, "Error: No such container: trainer", K::container_absent, "docker ps -a"},
        {docker(), 1,
         "Error response from daemon: container "
         "0f6e1b0f6e1b0f6e1b0f6e1b0f6e1b0f6e1b0f6e1b0f6e1b0f6e1b0f6e1b0f6e is not running",
         K::container_not_running, ": docker start trainer"},
        {docker(), 1,
         "Error response from daemon: Container trainer is restarting, wait until the container is "
         "running",
         K::container_not_running, "docker start trainer"},
        {docker(), 1,
         "Error response from daemon: Container trainer is paused, unpause the container before "
         "exec",
         K::container_frozen, "docker unpause trainer"},
        {docker(), 1,
         "Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon "
         "running?",
         K::container_failed, "systemctl start docker"},
        {docker(), 1,
         "permission denied while trying to connect to the Docker daemon socket at "
         "unix:///var/run/docker.sock",
         K::container_not_root, "group docker"},
        {docker(), 1,
         "permission denied while trying to connect to the docker API at "
         "unix:///var/run/docker.sock",
         K::container_not_root, "group docker"},
        {docker(), 127,
         "OCI runtime exec failed: exec failed: unable to start container process: exec: "
         "\"/bin/sh\": stat /bin/sh: no such file or directory: unknown",
         K::container_failed, "no /bin/sh"},
        {podman, 125, "Error: no container with name or ID \"trainer\" found: no such container",
         K::container_absent, "podman ps -a"},
        {podman, 125,
         "Error: can only create exec sessions on running containers: container state improper",
         K::container_not_running, "podman start trainer"},
        {podman, 255,
         "Error: runc: exec failed: cannot exec in a paused container: OCI runtime "
         "error",
         K::container_frozen, "podman unpause trainer"},
        {podman, 127,
         "Error: crun: executable file `/bin/sh` not found in $PATH: No such file or directory: "
         "OCI "
         "runtime attempted to invoke a command that was not found",
         K::container_failed, "no /bin/sh"},
    });
}

TEST_CASE("what incus and LXD say becomes a kind") {
    const ContainerEntry incus = entered_by({"incus", "exec", "gpu-a", "-T", "-n", "--"});
    const ContainerEntry lxd = entered_by({"lxc", "exec", "gpu-a", "--"});
    check_rows({
        {incus, 1, "Error: Instance not found", K::container_absent, "check the name"},
        {incus, 1,
         "Error: Failed to fetch instance \"gpu-a\" in project \"default\": Instance not "
         "found",
         K::container_absent, "check the name"},
        {lxd, 1, "Error: not found", K::container_absent, "check the name"},
        {incus, 1, "Error: Instance is not running", K::container_not_running, "start"},
        {lxd, 1, "Error: Instance is frozen", K::container_frozen, "later"},
        {incus, 127, "Error: Command not found", K::container_failed, "no /bin/sh"},
        {incus, 1,
         "Error: You don't have the needed permissions to talk to the incus daemon (socket path: "
         "/var/lib/incus/unix.socket)",
         K::container_not_root, "set user: root"},
        {lxd, 1,
         "Error: Get \"http://unix.socket/1.0\": dial unix /var/snap/lxd/common/lxd/unix.socket: "
         "connect: permission denied",
         K::container_not_root, "set user: root"},
    });
}

TEST_CASE("what kubectl, nsenter and apptainer say becomes a kind") {
    const ContainerEntry pod = entered_by({"kubectl", "exec", "-n", "ml", "trainer", "--"});
    const ContainerEntry space = entered_by({"nsenter", "-t", "4711", "-m", "-p", "--"});
    const ContainerEntry instance = entered_by({"apptainer", "exec", "instance://trainer"});
    check_rows({
        {pod, 1, "Error from server (NotFound): pods \"trainer\" not found", K::container_absent,
         "check the name"},
        {pod, 1,
         "Defaulted container \"app\" out of: app, log\nerror: Internal error occurred: unable to "
         "upgrade connection: container not found (\"app\")",
         K::container_not_running, "start"},
        {pod, 1,
         "error: cannot exec into a container in a completed pod; current phase is Succeeded",
         K::container_not_running, "start"},
        {space, 1, "nsenter: cannot open /proc/4711/ns/pid: No such file or directory",
         K::container_absent, "check the name"},
        {space, 1, "nsenter: cannot open /proc/4711/ns/mnt: Permission denied",
         K::container_not_root, "set user: root"},
        {space, 127, "nsenter: failed to execute /bin/sh: No such file or directory",
         K::container_failed, "no /bin/sh"},
        {instance, 255, "FATAL:   no instance found with name trainer", K::container_absent,
         "check the name"},
        {instance, 255, "FATAL:   \"/bin/sh\": executable file not found in $PATH",
         K::container_failed, "no /bin/sh"},
    });
}

TEST_CASE("what stands before the tool may be missing or refused as well") {
    check_rows({
        {entered_by({"sudo", "-n", "pct", "exec", "129", "--"}), 1, "sudo: a password is required",
         K::container_not_root, "NOPASSWD"},
        {entered_by({"sudo", "-n", "docker", "exec", "trainer"}), 1,
         "sudo: docker: command not found", K::container_tool_missing, "lacks the tool"},
        {entered_by({"env", "A=b", "podman", "exec", "trainer"}), 127,
         "env: 'podman': No such file or directory", K::container_tool_missing, "lacks the tool"},
    });
}

TEST_CASE("what was found before entering becomes a kind") {
    const auto found = [](const std::string& words) {
        return failure_by(ended(1, "\ngpumuster-entry: " + words + "\n"), pct());
    };
    CHECK(found("tool-missing pct").kind == K::container_tool_missing);
    CHECK(found("tool-missing pct").message == "the host has no pct");
    CHECK(found("frozen").kind == K::container_frozen);
    CHECK(found("frozen").message == "container 129 is frozen");
    CHECK_THAT(found("frozen").next_step, ContainsSubstring(": lxc-unfreeze -n 129"));
    CHECK(found("other-node pve2").kind == K::container_on_other_node);
    CHECK(found("other-node pve2").message == "container 129 is on node pve2");
    CHECK_THAT(found("other-node pve2").next_step, ContainsSubstring("node pve2"));
    CHECK(found("virtual-machine pve2").kind == K::container_absent);
    CHECK_THAT(found("virtual-machine pve2").message, ContainsSubstring("virtual machine"));
    CHECK_THAT(found("virtual-machine pve2").next_step,
               ContainsSubstring("qm guest exec 129 -- nvidia-smi"));
}

TEST_CASE("a tool that says what nobody knows, or nothing, is named with what there is") {
    const ContainerEntry container = entered_by({"/opt/cell", "enter", "it's"});
    const Failure unknown = failure_by(said(3, "cell: door is locked\ncell: bye\n"), container);
    CHECK(unknown.kind == K::container_failed);
    CHECK(unknown.message == "cell: door is locked cell: bye");
    // Words that would need quotes are not written down as a command.
    CHECK(unknown.next_step == "try the same by hand: ssh -p 2222 root@pve1");
    CHECK(failure_by(said(3, ""), container).message ==
          "cell ended with status 3 and said nothing");
    CommandOutput killed = said(0, "");
    killed.ending = Ending::signalled;
    killed.signal = "KILL";
    CHECK(failure_by(killed, container).message == "cell was ended by signal KILL");
}

TEST_CASE("complaints about locales are no part of what the tool said") {
    const std::string noise =
        "perl: warning: Setting locale failed.\n"
        "perl: warning: Please check that your locale settings:\n"
        "\tLANGUAGE = (unset),\n\tLC_ALL = \"de_DE.UTF-8\",\n\tLC_TIME = \"C\",\n"
        "\tLANG = \"de_DE.UTF-8\"\n"
        "    are supported and installed on your system.\n"
        "perl: warning: Falling back to the standard locale (\"C\").\n"
        "bash: warning: setlocale: LC_ALL: cannot change locale (de_DE.UTF-8): No such file or "
        "directory\n";
    const Failure failure = failure_by(said(3, noise + "the disk is on fire\n"), pct());
    CHECK(failure.message == "the disk is on fire");
    CHECK(failure_by(said(3, noise), pct()).message == "pct ended with status 3 and said nothing");
    CHECK(failure_by(ended(25, noise + entering + noise + "container '129' not running!\n"), pct())
              .message == "container '129' not running!");
    // It is harmless in a command that ran, too.
    CHECK_FALSE(container_failure(ended(0, noise + entering, "\n"), pct(), node()));
}

TEST_CASE("what the tool says is made safe and bounded") {
    const Failure failure = failure_by(
        said(1, "container '129' not running! \x1b[31m\x07 " + std::string(5000, 'x')), pct());
    CHECK(failure.message.find('\x1b') == std::string::npos);
    CHECK(failure.message.size() <= 200);
    const Failure node_name = failure_by(
        ended(1, "\ngpumuster-entry: other-node \x1b[2J" + std::string(500, 'y')), pct());
    CHECK(node_name.message.find('\x1b') == std::string::npos);
    CHECK(node_name.message.size() <= 200);
}

TEST_CASE("docker may say on standard output that there is no shell") {
    const CommandOutput output =
        ended(126, entering,
              "OCI runtime exec failed: exec failed: unable to start container process: exec: "
              "\"/bin/sh\": permission denied: unknown\r\n");
    const Failure failure = failure_by(output, docker());
    CHECK(failure.kind == K::container_failed);
    CHECK_THAT(failure.message, Catch::Matchers::StartsWith("OCI runtime exec failed"));
    CHECK_THAT(failure.next_step, ContainsSubstring("no /bin/sh"));
}

TEST_CASE("a command that ran in its container has not failed to enter it") {
    const std::string inside = std::string(entering) + "\ngpumuster-entry: inside\n";
    CHECK_FALSE(container_failure(ended(0, inside, "\n"), pct(), node()));
    CHECK_FALSE(container_failure(ended(9, inside, "\n"), pct(), node()));
    // The same words from within mean something else.
    CHECK_FALSE(
        container_failure(ended(1, inside + "container '129' not running!\n"), pct(), node()));
    CHECK_FALSE(
        container_failure(ended(127, inside + "sh: 1: nvidia-smi: not found\n"), pct(), node()));
    // A tool that keeps standard error for itself, and one with a terminal.
    CHECK_FALSE(container_failure(ended(9, entering, "0, 2 MiB\n"), pct(), node()));
    CHECK_FALSE(
        container_failure(ended(9, entering, "\r\ngpumuster-entry: inside\r\n"), pct(), node()));
    CHECK_FALSE(container_failure(ended(0, entering), pct(), node()));
}

TEST_CASE("an end that nobody saw is no failure of the container") {
    for (const Ending ending :
         {Ending::deadline, Ending::lost, Ending::capped, Ending::cancelled}) {
        CommandOutput output = said(1, "container '129' not running!\n");
        output.ending = ending;
        CHECK_FALSE(container_failure(output, pct(), node()));
    }
}

TEST_CASE("a login shell that runs something else is no matter of containers") {
    for (const char* text :
         {"rbash: line 1: exec: restricted\n", "This account is currently not available.\n",
          "bash: line 1: exec: /bin/sh: not found\n", "container '129' not running!\n",
          "Permission denied\n", "gpumuster-entry: nonsense\n", ""}) {
        INFO(text);
        for (const int code : {1, 126, 127, 255}) {
            CHECK_FALSE(container_failure(ended(code, text), pct(), node()));
        }
    }
}
