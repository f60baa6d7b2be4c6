// Containers of one host as the program reports them: real containers, a real sshd, and a pct as
// Proxmox has it.

#include "e2e/inspection.hpp"
#include "support/lxc_lab.hpp"
#include "support/pct.hpp"

using namespace gpumuster::test;

namespace {

// A node with eight idle GPUs of its own, and a client that knows it.
class ProxmoxNode {
public:
    explicit ProxmoxNode(const std::map<std::string, std::string>& etc_files = {}) {
        SshdOptions options = open_to(client_);
        options.etc_files = etc_files;
        sshd_ = std::make_unique<Sshd>(options);
        pct_ = std::make_unique<Pct>(lab_, sshd_->bin());
        client_.know(sshd_->known_hosts_line());
    }

    LxcLab& lab() { return lab_; }
    const Sshd& sshd() const { return *sshd_; }
    const Pct& pct() const { return *pct_; }
    Client& client() { return client_; }
    void add_container(const std::string& name, int number) {
        client_.add_port(name, sshd_->port(), "container: {pct: " + std::to_string(number) + "}");
    }

private:
    LxcLab lab_;
    Client client_;
    std::unique_ptr<Sshd> sshd_;
    std::unique_ptr<Pct> pct_;
};

std::string pct_step(const std::string& what, int number) {
    return what + " " + std::to_string(number);
}

bool parts_missing() {
    return lxc_missing() || sshd_missing();
}

const std::vector<std::string> patient{"--connect-timeout", "20s", "--command-timeout", "20s"};

}  // namespace

TEST_CASE("four containers of one host are told apart over one login") {
    if (parts_missing()) return;
    ProxmoxNode node;
    const int running = node.lab().add_running(FakeSmi::with_memory({2, 2}));
    const int stopped = node.lab().add();
    const int frozen = node.lab().add_running(FakeSmi::with_memory({2, 2}));
    node.lab().freeze(frozen);
    node.add_container("ok", running);
    node.add_container("stopped", stopped);
    node.add_container("frozen", frozen);
    node.add_container("absent", 101);

    const Inspection run = node.client().inspect(patient);
    check_clean(run.host("ok"));
    CHECK(run.host("ok").at("gpus").size() == 2);
    check_failure(run.host("stopped"), {"container.not_running", "container", 0, "stopped",
                                        pct_step("pct start", stopped), "not running!"});
    check_failure(run.host("frozen"), {"container.frozen", "container", 0, "frozen",
                                       pct_step("lxc-unfreeze -n", frozen), "is frozen"});
    check_failure(run.host("absent"),
                  {"container.absent", "container", 0, "absent", "number", "does not exist"});
    CHECK(node.sshd().times_logged("Accepted publickey") == 1);
    CHECK(node.lab().wait_until_idle(running));
}

TEST_CASE("a container of another node is named with its node") {
    if (parts_missing() || namespaces_missing()) return;
    const std::map<std::string, std::string> elsewhere{{"pve/nodes/pve2/lxc/101.conf", ""}};
    ProxmoxNode node(elsewhere);
    node.add_container("moved", 101);
    const Inspection run = node.client().inspect(patient);
    check_failure(run.host("moved"), {"container.on_other_node", "container", 0, "moved",
                                      "set address: to node pve2", "101 is on node pve2"});
    CHECK(node.pct().calls() == 0);
}

TEST_CASE("a container that hangs is ended in there and keeps what it had said") {
    if (parts_missing()) return;
    ProxmoxNode node;
    FakeSmi smi = FakeSmi::with_memory({2, 2});
    smi.full.hangs = true;
    const int number = node.lab().add_running(smi);
    node.add_container("slow", number);
    const Inspection run = node.client().inspect({"--command-timeout", "6s"});
    CHECK(run.host("slow").at("verdict") == "hung");
    CHECK(run.host("slow").at("failure").is_null());
    CHECK(node.lab().wait_until_idle(number));
}

TEST_CASE("the system's ssh enters containers as well") {
    if (parts_missing() || component_missing("ssh")) return;
    ProxmoxNode node;
    const int running = node.lab().add_running(FakeSmi::with_memory({2, 2}));
    const int stopped = node.lab().add();
    node.client().add_port("ok", node.sshd().port(),
                           "transport: openssh, container: {pct: " + std::to_string(running) + "}");
    node.client().add_port("stopped", node.sshd().port(),
                           "transport: openssh, container: {pct: " + std::to_string(stopped) + "}");
    const Inspection run = node.client().inspect(patient);
    check_clean(run.host("ok"));
    check_failure(run.host("stopped"), {"container.not_running", "container", 0, "stopped",
                                        pct_step("pct start", stopped), "not running!"});
}
