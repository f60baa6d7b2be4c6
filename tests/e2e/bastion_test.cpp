// Many hosts behind one jump host, and many behind one sshd.

#include <chrono>
#include <filesystem>

#include "e2e/inspection.hpp"
#include "support/listener.hpp"

using namespace gpumuster::test;

namespace {

std::size_t logins(const Sshd& sshd) {
    return sshd.times_logged("Accepted publickey");
}

std::size_t drops(const Sshd& sshd) {
    return sshd.times_logged("drop connection") + sshd.times_logged("MaxStartups throttling");
}

// A simulated fleet on loopback that is reached through a real sshd.
class FleetBehindBastion {
public:
    explicit FleetBehindBastion(const std::string& scenario, SshdOptions options = {}) {
        std::filesystem::create_directory(folder_.file("state"));
        ProgramOrder order;
        order.argv = {simulator_program(), "--scenario", folder_.write("scenario.yaml", scenario),
                      "--state-dir", folder_.file("state")};
        simulator_ =
            std::make_unique<BackgroundProgram>(order, folder_.file("out"), folder_.file("err"));
        if (!wait_for_text(folder_.file("out"), "ready", *simulator_)) {
            throw std::runtime_error("no simulator: " + read_file(folder_.file("err")));
        }
        ProgramOrder public_key;
        public_key.argv = {"ssh-keygen", "-y", "-f", folder_.file("state/key")};
        options.authorized_key = run_program(public_key).out;
        bastion_ = std::make_unique<Sshd>(options);
        // The hop is judged by the known_hosts of the hosts behind it, unless it says otherwise.
        const std::string known = folder_.file("state/known_hosts");
        folder_.write("state/known_hosts", read_file(known) + bastion_->known_hosts_line() + "\n");
    }

    Sshd& bastion() { return *bastion_; }
    const TempDir& folder() const { return folder_; }

    ProgramOrder order(const std::vector<std::string>& arguments = {}) const {
        ProgramOrder order;
        order.argv = {gpumuster_program(),
                      "-i",
                      folder_.file("state/inventory.yaml"),
                      "-o",
                      "json",
                      "--ssh-config",
                      "none",
                      "-J",
                      current_user() + "@127.0.0.1:" + std::to_string(bastion_->port())};
        order.argv.insert(order.argv.end(), arguments.begin(), arguments.end());
        order.environment["HOME"] = folder_.path();
        order.environment["SSH_AUTH_SOCK"] = "";
        return order;
    }
    Inspection inspect(const std::vector<std::string>& arguments = {}) const {
        return read_inspection(run_program(order(arguments)));
    }

private:
    TempDir folder_;
    std::unique_ptr<BackgroundProgram> simulator_;
    std::unique_ptr<Sshd> bastion_;
};

SshdOptions with_config(const std::string& lines) {
    SshdOptions options;
    options.extra_config = lines;
    return options;
}

}  // namespace

TEST_CASE("two hundred hosts behind one jump host are inspected over one login to it") {
    if (sshd_missing()) return;
    FleetBehindBastion fleet("hosts:\n  node[001-200]: {state: clean}\n");
    const Inspection run = fleet.inspect();
    INFO(run.report.at("summary").dump() << run.err);
    CHECK(run.status == 0);
    CHECK(run.count("clean") == 200);
    CHECK(hop_names(run.host("node001")) == std::vector<std::string>{"127.0.0.1"});
    CHECK(logins(fleet.bastion()) == 1);
    CHECK(drops(fleet.bastion()) == 0);
}

TEST_CASE("the sessions that a jump host allows do not limit the hosts behind it") {
    if (sshd_missing()) return;
    const std::string limit = GENERATE("MaxSessions 1\n", "MaxSessions 0\n");
    FleetBehindBastion fleet("hosts:\n  node[01-20]: {state: clean}\n", with_config(limit));
    const Inspection run = fleet.inspect();
    INFO(run.report.at("summary").dump());
    CHECK(run.count("clean") == 20);
    CHECK(logins(fleet.bastion()) == 1);
}

TEST_CASE("hosts behind a jump host fail one by one, each for its own reason") {
    if (sshd_missing()) return;
    FleetBehindBastion fleet(
        "hosts:\n"
        "  good[1-3]: {state: clean}\n"
        "  gone: {state: refused_port}\n"
        "  mute: {state: silent}\n"
        "  shut: {state: closed_before_banner}\n"
        "  full: {state: throttled}\n"
        "  web: {state: not_ssh}\n"
        "  new: {state: unknown_key}\n"
        "  other: {state: changed_key}\n"
        "  closed: {state: refused_key}\n");
    const Inspection run = fleet.inspect({"--connect-timeout", "2s"});
    CHECK(run.count("clean") == 3);
    CHECK(run.status == 2);
    check_failure(run.host("gone"), {"connect.refused", "connect", 0, "gone", "from there", ""});
    check_failure(run.host("mute"), {"handshake.timeout", "handshake", 0, "mute", "sshd", ""});
    check_failure(run.host("shut"), {"handshake.closed", "handshake", 0, "shut", "sshd", ""});
    check_failure(run.host("full"),
                  {"handshake.throttled", "handshake", 0, "full", "MaxStartups", ""});
    check_failure(run.host("web"), {"handshake.not_ssh", "handshake", 0, "web", "port", ""});
    check_failure(run.host("new"), {"hostkey.unknown", "host-key", 0, "new", "ssh ", "SHA256:"});
    check_failure(run.host("other"),
                  {"hostkey.changed", "host-key", 0, "other", "ssh-keygen -R", "SHA256:"});
    check_failure(run.host("closed"), {"auth.denied", "auth", 0, "closed", "ProxyJump=", ""});
    CHECK(logins(fleet.bastion()) == 1);
}

TEST_CASE("a jump host that forbids forwarding is asked once, and is what every host reports") {
    if (sshd_missing()) return;
    const std::string line =
        GENERATE("AllowTcpForwarding no\n", "DisableForwarding yes\n", "PermitOpen 127.0.0.1:1\n");
    FleetBehindBastion fleet("hosts:\n  node[01-20]: {state: clean}\n", with_config(line));
    const Inspection run = fleet.inspect();
    CHECK(run.status == 2);
    CHECK(run.count_of_kind("hop.forwarding_forbidden") == 20);
    check_failure(run.host("node07"), {"hop.forwarding_forbidden", "channel", 1, "127.0.0.1",
                                       "AllowTcpForwarding", ""});
    CHECK(logins(fleet.bastion()) == 1);
}

TEST_CASE("a jump host that cannot be entered is tried once for all hosts behind it") {
    if (sshd_missing()) return;
    Client client;
    SshdOptions options;
    options.authorized_key = "# nobody";
    const Sshd bastion(options);
    client.know(bastion.known_hosts_line());
    for (int i = 1; i <= 20; ++i) {
        client.add_port("node" + std::to_string(i), 9, jump_through(bastion.port()));
    }
    const Inspection run = client.inspect();
    CHECK(run.count_of_kind("auth.denied") == 20);
    check_failure(run.host("node3"),
                  {"auth.denied", "auth", 1, "127.0.0.1", "ssh-copy-id", current_user()});
    CHECK(bastion.times_logged("Connection from") == 1);
}

TEST_CASE("a jump host that is killed in the middle takes its hosts with it, at once") {
    if (sshd_missing()) return;
    SshdOptions options;
    options.first_config = "LogLevel DEBUG1\n";  // which tells of each tunnel
    FleetBehindBastion fleet(
        "hosts:\n"
        "  hung[01-10]: {state: hung}\n"
        "  mute[01-10]: {state: silent}\n",
        options);
    const TempDir& folder = fleet.folder();
    BackgroundProgram program(fleet.order({"--connect-timeout", "60s", "--command-timeout", "60s"}),
                              folder.file("run.out"), folder.file("run.err"));
    REQUIRE(fleet.bastion().wait_until_logged("server_request_direct_tcpip", 20));
    const auto killed = std::chrono::steady_clock::now();
    fleet.bastion().kill();
    const int status = program.wait();
    CHECK(std::chrono::steady_clock::now() - killed < std::chrono::seconds(20));
    const Inspection run = read_inspection(
        {status, read_file(folder.file("run.out")), read_file(folder.file("run.err"))});
    INFO(run.report.dump());
    CHECK(status != 0);
    CHECK(run.count("clean") == 0);
    for (int i = 1; i <= 10; ++i) {
        const std::string name = "mute" + std::string(i < 10 ? "0" : "") + std::to_string(i);
        check_failure(run.host(name), {"hop.lost", "channel", 1, "127.0.0.1", "sshd log", ""});
    }
}

TEST_CASE("forty hosts of one sshd are let in a few at a time, within its MaxStartups") {
    if (sshd_missing()) return;
    Client client;
    SshdOptions options = open_to(client);
    const Sshd sshd(options);
    client.know(sshd.known_hosts_line());
    for (int i = 1; i <= 40; ++i) client.add_port("node" + std::to_string(i), sshd.port());
    const Inspection run = client.inspect();
    INFO(run.report.at("summary").dump() << sshd.log());
    CHECK(run.count("clean") == 40);
    CHECK(logins(sshd) == 40);
    CHECK(drops(sshd) == 0);
}

TEST_CASE("forty hosts of an sshd that takes one login at a time are all inspected") {
    if (sshd_missing()) return;
    Client client;
    SshdOptions options = open_to(client);
    options.extra_config = "MaxStartups 1\n";
    const Sshd sshd(options);
    client.know(sshd.known_hosts_line());
    for (int i = 1; i <= 40; ++i) client.add_port("node" + std::to_string(i), sshd.port());
    const Inspection run = client.inspect();
    INFO(run.report.at("summary").dump());
    CHECK(run.count("clean") == 40);
    // No host is tried more than three times.
    CHECK(sshd.times_logged("Connection from") == 40);
    CHECK(drops(sshd) <= 80);
}

TEST_CASE("a host that swallows connections behind a jump host has a time limit of its own") {
    if (sshd_missing() || namespaces_missing()) return;
    NetworkLab lab;
    lab.add_row({"client", "bastion", "gpu1"});
    Client client(&lab.machine("client"));
    SshdOptions options = open_to(client);
    options.machine = &lab.machine("bastion");
    const Sshd bastion(options);
    options.machine = &lab.machine("gpu1");
    const Sshd gpu1(options);
    const std::string hop = lab.address("bastion", "client");
    client.know(bastion.known_hosts_line(hop));
    client.know(gpu1.known_hosts_line(lab.address("gpu1", "bastion")));
    const std::string deaf = lab.deaf_address("gpu1", "bastion");
    client.add_host("deaf", "address: " + deaf + ", jump: " + hop);
    client.add_host("gpu1", "address: " + lab.address("gpu1", "bastion") + ", jump: " + hop);
    client.add_host("nowhere", "address: 203.0.113.7, jump: " + hop);
    const Inspection run = client.inspect({"--connect-timeout", "2s"});
    check_clean(run.host("gpu1"));
    check_failure(run.host("deaf"), {"connect.timeout", "connect", 0, "deaf", deaf, ""});
    check_failure(run.host("nowhere"),
                  {"connect.no_route", "connect", 0, "nowhere", "network", ""});
}
