// Ways to a host over machines that can only be reached through each other.

#include <chrono>
#include <fstream>

#include "e2e/inspection.hpp"
#include "support/processes.hpp"

using namespace gpumuster::test;

namespace {

// client – b1 – b2 – b3 – gpu1. Each hop has a user, a port, a key and a host key of its own, and
// its name in ssh_config is not its address.
class ThreeHops {
public:
    ThreeHops() {
        lab_.add_row({"client", "b1", "b2", "b3", "gpu1"});
        client_ = std::make_unique<Client>(&lab_.machine("client"));
        open("b1", "client", "alice", 2201);
        open("b2", "b1", "bob", 2202);
        open("b3", "b2", "carol", 22);
        open("gpu1", "b3", "root", 2204);
    }

    Client& client() { return *client_; }
    const NetworkLab& lab() const { return lab_; }
    const Sshd& sshd(const std::string& name) const { return *servers_.at(name).sshd; }
    std::string address(const std::string& name) const { return servers_.at(name).address; }

    // The ssh_config; `of_gpu1` are more lines for the target.
    std::string config(const std::string& of_gpu1 = {}) const {
        std::string text;
        for (const auto& [name, server] : servers_) {
            text += "Host " + name + "\n  HostName " + server.address + "\n  Port " +
                    std::to_string(server.sshd->port()) + "\n  User " + server.user +
                    "\n  IdentityFile " + server.key.path + "\n";
            if (name == "gpu1") text += of_gpu1;
        }
        return text + "Host *\n  IdentitiesOnly yes\n  UserKnownHostsFile " +
               client_->known_hosts_file() + "\n  GlobalKnownHostsFile /dev/null\n";
    }

    // One map of an inventory's `jump:`.
    std::string hop(const std::string& name) const {
        const Server& server = servers_.at(name);
        return "{address: " + server.address + ", port: " + std::to_string(server.sshd->port()) +
               ", user: " + server.user + ", identity: " + server.key.path +
               ", known_hosts: " + client_->known_hosts_file() + "}";
    }
    std::string key_file(const std::string& name) const { return servers_.at(name).key.path; }

    void check_logins() const {
        CHECK(sshd("b1").times_logged("Accepted publickey for alice") == 1);
        CHECK(sshd("b2").times_logged("Accepted publickey for bob") == 1);
        CHECK(sshd("b3").times_logged("Accepted publickey for carol") == 1);
        CHECK(sshd("gpu1").times_logged("Accepted publickey for root") == 1);
    }

private:
    struct Server {
        std::string address;
        std::string user;
        ClientKey key;
        std::unique_ptr<Sshd> sshd;
    };

    void open(const std::string& name, const std::string& from, const std::string& user,
              std::uint16_t port) {
        Server server;
        server.address = lab_.address(name, from);
        server.user = user;
        server.key = make_client_key(client_->folder(), "key_" + name);
        SshdOptions options = open_to(*client_);
        options.machine = &lab_.machine(name);
        options.port = port;
        options.authorized_key = "# nobody";
        if (user == "root") {
            options.authorized_key = server.key.public_line;
        } else {
            options.accounts = {SshdAccount{user, server.key.public_line}};
        }
        server.sshd = std::make_unique<Sshd>(options);
        client_->know(server.sshd->known_hosts_line(server.address));
        servers_.emplace(name, std::move(server));
    }

    NetworkLab lab_;
    std::unique_ptr<Client> client_;
    std::map<std::string, Server> servers_;
};

const std::vector<std::string> all_hops{"b1", "b2", "b3"};

}  // namespace

TEST_CASE("a lab of machines leaves nothing behind") {
    if (sshd_missing() || namespaces_missing()) return;
    const std::string mounts = read_file("/proc/self/mounts");
    std::vector<int> pids;
    {
        const ThreeHops route;
        for (const char* name : {"client", "b1", "b2", "b3", "gpu1"}) {
            pids.push_back(route.lab().machine(name).pid());
        }
        for (const char* name : {"b1", "b2", "b3", "gpu1"}) pids.push_back(route.sshd(name).pid());
        CHECK(read_file("/proc/self/mounts") == mounts);
    }
    for (const int pid : pids) CHECK(has_gone(pid));
    CHECK(read_file("/proc/self/mounts") == mounts);
}

TEST_CASE("three hops deep by ProxyJump, each with its own user, port, key and host key") {
    if (sshd_missing() || namespaces_missing() || component_missing("ssh")) return;
    ThreeHops route;
    const std::string config = route.config("  ProxyJump b1,b2,b3\n");
    const Inspection run = route.client().inspect_by_config(config, {"gpu1"});
    const json& host = run.host("gpu1");
    check_clean(host);
    CHECK(run.status == 0);
    CHECK(hop_names(host) == all_hops);
    CHECK(host.at("route").at("transport") == "libssh");
    route.check_logins();
    // The lab is what it says it is: ssh gets there by the same way, and by no shorter one.
    CHECK(route.client().ssh_by_config(config, "gpu1").status == 0);
    CHECK(route.client().ssh_by_config(route.config("  ConnectTimeout 1\n"), "gpu1").status == 255);
}

TEST_CASE("three hops deep by -J, in the order in which they are written") {
    if (sshd_missing() || namespaces_missing() || component_missing("ssh")) return;
    ThreeHops route;
    const Inspection run =
        route.client().inspect_by_config(route.config(), {"-J", "b1,b2,b3", "gpu1"});
    check_clean(run.host("gpu1"));
    CHECK(hop_names(run.host("gpu1")) == all_hops);
    route.check_logins();
}

TEST_CASE("three hops deep by the inventory alone, each hop with its own settings") {
    if (sshd_missing() || namespaces_missing()) return;
    ThreeHops route;
    route.client().add_host("gpu1", "address: " + route.address("gpu1") +
                                        ", port: 2204, identity: " + route.key_file("gpu1") +
                                        ", jump: [" + route.hop("b1") + ", " + route.hop("b2") +
                                        ", " + route.hop("b3") + "]");
    const Inspection run = route.client().inspect();
    check_clean(run.host("gpu1"));
    CHECK(hop_names(run.host("gpu1")) ==
          std::vector<std::string>{route.address("b1"), route.address("b2"), route.address("b3")});
    route.check_logins();
}

TEST_CASE("a hop's host key is judged under the hop's own name, however deep it is") {
    if (sshd_missing() || namespaces_missing() || component_missing("ssh")) return;
    ThreeHops route;
    const std::string config = route.config("  ProxyJump b1,b2,b3\n");
    const auto key_of = [&](const std::string& name) { return route.sshd(name).host_key(); };
    const std::string b1 = "[" + route.address("b1") + "]:2201 ";
    const std::string b2 = "[" + route.address("b2") + "]:2202 ";
    SECTION("changed at the second") {
        route.client().know_only(b1 + key_of("b1") + "\n" + b2 + key_of("b3"));
        const Inspection run = route.client().inspect_by_config(config, {"gpu1"});
        check_failure(run.host("gpu1"),
                      {"hostkey.changed", "host-key", 2, "b2", "ssh-keygen -R", "SHA256:"});
    }
    SECTION("unknown at the third") {
        route.client().know_only(b1 + key_of("b1") + "\n" + b2 + key_of("b2"));
        const Inspection run = route.client().inspect_by_config(config, {"gpu1"});
        check_failure(run.host("gpu1"),
                      {"hostkey.unknown", "host-key", 3, "b3", "ssh ", "SHA256:"});
    }
}

TEST_CASE("a login that is refused three hops deep names that hop") {
    if (sshd_missing() || namespaces_missing() || component_missing("ssh")) return;
    ThreeHops route;
    std::string config = route.config("  ProxyJump b1,b2,b3\n");
    const std::string right = route.key_file("b3");
    config.replace(config.find(right), right.size(), route.client().key().path);
    const Inspection run = route.client().inspect_by_config(config, {"gpu1"});
    check_failure(run.host("gpu1"), {"auth.denied", "auth", 3, "b3", "ssh-copy-id", "carol"});
    CHECK(route.sshd("gpu1").times_logged("Connection from") == 0);
}

TEST_CASE("a cable that is cut mid-way costs the hosts behind it their time limit and no more") {
    if (sshd_missing() || namespaces_missing()) return;
    NetworkLab lab;
    lab.add_row({"client", "b1", "b2", "gpu1"});
    Client client(&lab.machine("client"));
    const auto open = [&](const std::string& name, const std::string& from) {
        SshdOptions options = open_to(client);
        options.machine = &lab.machine(name);
        auto sshd = std::make_unique<Sshd>(options);
        client.know(sshd->known_hosts_line(lab.address(name, from)));
        return sshd;
    };
    const auto b1 = open("b1", "client");
    const auto b2 = open("b2", "b1");
    const auto gpu1 = open("gpu1", "b2");
    const std::string asked = client.folder().file("asked");
    std::ofstream(gpu1->bin() + "/nvidia-smi")
        << "#!/bin/sh\necho asked > " << asked << "\nexec sleep 600\n";
    const std::string way =
        "jump: [" + lab.address("b1", "client") + ", " + lab.address("b2", "b1") + "]";
    client.add_host("gpu1", "address: " + lab.address("gpu1", "b2") + ", " + way);
    client.add_host("near", "address: " + lab.address("b1", "client"));

    const auto started = std::chrono::steady_clock::now();
    BackgroundProgram program(client.inventory_order({"--command-timeout", "4s"}),
                              client.folder().file("out"), client.folder().file("err"));
    REQUIRE(wait_for_text(asked, "asked", program));
    lab.cut("b1", "b2");
    const int status = program.wait();
    CHECK(std::chrono::steady_clock::now() - started < std::chrono::seconds(20));
    const Inspection run = read_inspection(
        {status, read_file(client.folder().file("out")), read_file(client.folder().file("err"))});
    INFO(run.report.dump());
    check_clean(run.host("near"));
    // A machine that no longer answers and one whose driver hangs look the same from here.
    CHECK(run.host("gpu1").at("verdict") == "hung");
    CHECK(run.host("gpu1").at("gpus").empty());
}

TEST_CASE("a cable that was cut before is a time limit of the hop behind it") {
    if (sshd_missing() || namespaces_missing()) return;
    NetworkLab lab;
    lab.add_row({"client", "b1", "b2"});
    Client client(&lab.machine("client"));
    SshdOptions options = open_to(client);
    options.machine = &lab.machine("b1");
    const Sshd b1(options);
    client.know(b1.known_hosts_line(lab.address("b1", "client")));
    const std::string b2 = lab.address("b2", "b1");
    client.add_host(
        "gpu1", "address: 198.18.200.1, jump: [" + lab.address("b1", "client") + ", " + b2 + "]");
    lab.cut("b1", "b2");
    const Inspection run = client.inspect({"--connect-timeout", "1s"});
    check_failure(run.host("gpu1"), {"connect.timeout", "connect", 2, b2, "ping " + b2, b2});
}
