// What the host is asked before a container is entered, on hosts whose cgroups and /etc/pve are
// laid out as they may be.

#include "gpumuster/transport/entry/entry_script.hpp"

#include <map>
#include <memory>

#include "gpumuster/transport/entry/container_failure.hpp"
#include "gpumuster/transport/entry/entry_lines.hpp"
#include "gpumuster/transport/entry/login_shell.hpp"
#include "support/catch.hpp"
#include "support/components.hpp"
#include "support/private_etc.hpp"
#include "support/program.hpp"
#include "support/temp_dir.hpp"

using namespace gpumuster;
using namespace gpumuster::test;

namespace {

ContainerEntry pct() {
    ContainerEntry container;
    container.name = "129";
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

// A host seen by the one command only, with a pct that says that it was run.
class Node {
public:
    void group(const std::string& path, const std::string& text) { groups_[path] = text; }
    void pve(const std::string& path) { pve_["pve/" + path] = "# a configuration\n"; }

    CommandOutput ask(const std::vector<std::string>& shell) const {
        folder_.write("pct", "#!/bin/sh\necho entered >&2\nexit 1\n", 0755);
        std::string build = "mount -t tmpfs none /sys/fs/cgroup;";
        for (const auto& [path, text] : groups_) {
            const std::string file = "/sys/fs/cgroup/" + path;
            build += "mkdir -p " + file.substr(0, file.rfind('/')) + ";printf '" + text + "' >" +
                     file + ";";
        }
        std::vector<std::string> argv{"/bin/sh", "-c", build + "exec \"$@\"", "sh"};
        argv.insert(argv.end(), shell.begin(), shell.end());
        argv.insert(argv.end(), {"-c", entry_script(ContainerEntry::Kind::pct), "sh", "", "true"});
        for (const std::string& word : entry_words(pct())) argv.push_back(word);
        std::unique_ptr<PrivateEtc> etc;
        ProgramOrder order;
        if (pve_.empty()) {
            order.argv = {"unshare", "--mount", "--propagation", "private"};
            order.argv.insert(order.argv.end(), argv.begin(), argv.end());
        } else {
            etc = std::make_unique<PrivateEtc>(pve_);
            order.argv = etc->around(argv);
        }
        order.environment["PATH"] = folder_.path() + ":/usr/bin:/bin";
        return output_of(run_program(order));
    }

    std::string finding(const std::vector<std::string>& shell = {"/bin/sh"}) const {
        const CommandOutput output = ask(shell);
        INFO(output.err);
        CHECK(output.out.empty());
        CHECK(output.code == 1);
        const EntryReport report = read_entry(output);
        CHECK(report.has_begun == report.finding.empty());
        std::string words(report.finding);
        if (!report.detail.empty()) words += " " + std::string(report.detail);
        // Nothing of ours complains.
        for (const std::string_view line : report.said) CHECK(line == "entered");
        return words;
    }

private:
    TempDir folder_;
    std::map<std::string, std::string> groups_;
    std::map<std::string, std::string> pve_;
};

}  // namespace

TEST_CASE("a container is entered when nothing speaks against it") {
    if (namespaces_missing()) return;
    Node node;
    CHECK(node.finding().empty());
    node.group("lxc/129/cgroup.events", "populated 1\\nfrozen 0\\n");
    node.group("lxc/129/ns/cgroup.events", "populated 1\\nfrozen 0\\n");
    node.group("freezer/lxc/129/freezer.state", "THAWED\\n");
    node.group("lxc/130/cgroup.events", "populated 1\\nfrozen 1\\n");
    node.pve("lxc/129.conf");
    node.pve("nodes/pve2/lxc/130.conf");
    CHECK(node.finding().empty());
}

TEST_CASE("a frozen container is seen in every layout of cgroups") {
    if (namespaces_missing()) return;
    for (const char* path :
         {"lxc/129/cgroup.events", "lxc/129/ns/cgroup.events", "lxc.payload.129/cgroup.events",
          "unified/lxc/129/cgroup.events", "unified/lxc/129/ns/cgroup.events",
          "unified/lxc.payload.129/cgroup.events"}) {
        INFO(path);
        Node node;
        node.group(path, "populated 1\\nfrozen 1\\n");
        CHECK(node.finding() == "frozen");
    }
    for (const char* path : {"freezer/lxc/129/freezer.state", "freezer/lxc/129/ns/freezer.state",
                             "freezer/lxc.payload.129/freezer.state"}) {
        INFO(path);
        Node node;
        node.group(path, "FROZEN\\n");
        CHECK(node.finding() == "frozen");
        node.group(path, "FREEZING\\n");
        CHECK(node.finding() == "frozen");
    }
}

TEST_CASE("a container of another node is found there, and so is a virtual machine") {
    if (namespaces_missing()) return;
    Node node;
    node.pve("nodes/pve1/lxc/130.conf");
    node.pve("nodes/pve2/lxc/129.conf");
    CHECK(node.finding() == "other-node pve2");
    node.pve("lxc/129.conf");
    CHECK(node.finding().empty());

    Node machines;
    machines.pve("nodes/pve1/qemu-server/130.conf");
    machines.pve("nodes/pve3/qemu-server/129.conf");
    CHECK(machines.finding() == "virtual-machine pve3");
}

TEST_CASE("every sh asks the same") {
    if (namespaces_missing()) return;
    Node node;
    node.pve("nodes/pve2/lxc/129.conf");
    Node frozen;
    frozen.group("lxc/129/cgroup.events", "frozen 1\\n");
    const std::map<std::string, std::vector<std::string>> shells{{"dash", {}},
                                                                 {"bash", {"--posix"}},
                                                                 {"zsh", {"--emulate", "sh"}},
                                                                 {"ksh", {}},
                                                                 {"busybox", {"sh"}}};
    for (const auto& [shell, words] : shells) {
        if (component_missing(shell)) continue;
        INFO(shell);
        std::vector<std::string> argv{program_path(shell)};
        argv.insert(argv.end(), words.begin(), words.end());
        CHECK(Node().finding(argv).empty());
        CHECK(node.finding(argv) == "other-node pve2");
        CHECK(frozen.finding(argv) == "frozen");
    }
}

TEST_CASE("a tool that is not there is missed before it is called") {
    ContainerEntry container;
    container.kind = ContainerEntry::Kind::exec;
    container.argv = {"no-such-tool", "enter"};
    ProgramOrder order;
    order.argv = {"/bin/sh", "-c", for_login_shell(RemoteCommand{}, container)};
    const std::optional<Failure> failure =
        container_failure(output_of(run_program(order)), container, {0, "gpu-a", {}, {}});
    REQUIRE(failure);
    CHECK(failure->kind == FailureKind::container_tool_missing);
    CHECK(failure->message == "the host has no no-such-tool");
}
