// The fault matrix: every kind of failure that can be provoked, by the part that really does it, at
// each stage and place on the way. Each row is a test of its own, run through the program.

#include <sys/socket.h>
#include <sys/un.h>

#include <signal.h>

#include <chrono>
#include <fstream>
#include <functional>
#include <thread>

#include "e2e/inspection.hpp"
#include "support/listener.hpp"
#include "support/name_server.hpp"
#include "support/private_etc.hpp"

using namespace gpumuster::test;

#define FAULT(name) TEST_CASE("fault matrix: " name)

namespace {

// Long enough for a real sshd on a busy machine, short enough where the end of it is awaited.
const std::vector<std::string> patient{"--connect-timeout", "8s", "--command-timeout", "8s"};
const std::vector<std::string> hasty{"--connect-timeout", "700ms", "--command-timeout", "8s"};

Inspection inspect_port(int port, const std::vector<std::string>& arguments = patient) {
    Client client;
    client.add_port("node", port);
    return client.inspect(arguments);
}

// What the program says of a fake server that is the host itself.
void check_host(const FakeServer& server, const ExpectedFailure& expected,
                const std::vector<std::string>& arguments = patient) {
    check_failure(inspect_port(server.port(), arguments).host("node"), expected);
}

// The same of one that is the jump host.
void check_hop(const FakeServer& server, const ExpectedFailure& expected,
               const std::vector<std::string>& arguments = patient) {
    Client client;
    client.add_port("node", 9, jump_through(server.port()));
    check_failure(client.inspect(arguments).host("node"), expected);
}

// A client and one sshd that it knows and may log in to, unless options say otherwise.
struct OneServer {
    explicit OneServer(const std::function<void(SshdOptions&)>& change = {}) {
        SshdOptions options = open_to(client);
        if (change) change(options);
        sshd = std::make_unique<Sshd>(options);
        client.know(sshd->known_hosts_line());
    }
    Inspection inspect(const std::string& more = {}) {
        client.add_port("node", sshd->port(), more);
        return client.inspect(patient);
    }
    // The ssh_config that leads to it as "node".
    std::string config(const std::string& more = {}) const {
        return "Host node\n  HostName 127.0.0.1\n  Port " + std::to_string(sshd->port()) +
               "\n  User " + current_user() + "\n  IdentityFile " + client.key().path +
               "\n  IdentitiesOnly yes\n  UserKnownHostsFile " + client.known_hosts_file() +
               "\n  GlobalKnownHostsFile /dev/null\n" + more;
    }

    Client client;
    std::unique_ptr<Sshd> sshd;
};

// A jump host and a host behind it, both real.
struct TwoServers {
    explicit TwoServers(const std::function<void(SshdOptions&)>& change_hop = {},
                        const std::function<void(SshdOptions&)>& change_host = {}) {
        SshdOptions options = open_to(client);
        if (change_hop) change_hop(options);
        hop = std::make_unique<Sshd>(options);
        options = open_to(client);
        if (change_host) change_host(options);
        host = std::make_unique<Sshd>(options);
        client.know(hop->known_hosts_line());
        client.know(host->known_hosts_line());
    }
    Inspection inspect(const std::string& more = {}) {
        client.add_port("node", host->port(),
                        jump_through(hop->port()) + (more.empty() ? "" : ", " + more));
        return client.inspect(patient);
    }

    Client client;
    std::unique_ptr<Sshd> hop;
    std::unique_ptr<Sshd> host;
};

void nobody(SshdOptions& options) {
    options.authorized_key = "# nobody";
}

// Whatever was decided about the way in, the host was reached and has no failure.
void check_verdict(const json& host, const std::string& verdict) {
    INFO(host.dump());
    CHECK(host.at("failure").is_null());
    CHECK(host.at("verdict") == verdict);
    REQUIRE_FALSE(host.at("findings").empty());
    CHECK_FALSE(host.at("findings").at(0).at("next_step").get<std::string>().empty());
}

}  // namespace

// config

FAULT("config.refused by an option that ssh does not know") {
    if (sshd_missing() || component_missing("ssh")) return;
    const OneServer lab;
    const Inspection run =
        lab.client.inspect_by_config(lab.config("  NoSuchOption yes\n"), {"node"});
    check_failure(run.host("node"), {"config.refused", "config", 0, "node", "ssh -G", ""});
    CHECK(lab.sshd->times_logged("Connection from") == 0);
}

FAULT("config.timeout by a Match exec that does not end") {
    if (sshd_missing() || component_missing("ssh")) return;
    const OneServer lab;
    const Inspection run = lab.client.inspect_by_config(
        "Match exec \"sleep 60\"\n  Port 1\n" + lab.config(), {"node"});
    check_failure(run.host("node"), {"config.timeout", "config", 0, "node", "Match exec", ""});
}

FAULT("config.failed by an ssh whose answer says nothing") {
    if (sshd_missing()) return;
    OneServer lab;
    const TempDir bin;
    bin.write("ssh", "#!/bin/sh\nexit 0\n", 0755);
    lab.client.set("PATH", bin.path() + ":/usr/bin:/bin");
    const Inspection run = lab.client.inspect_by_config(lab.config(), {"node"});
    check_failure(run.host("node"), {"config.failed", "config", 0, "node", "ssh -G", ""});
}

FAULT("config.unsupported by transport libssh and a ProxyCommand") {
    if (sshd_missing() || component_missing("ssh")) return;
    OneServer lab;
    lab.client.add_host("node", "transport: libssh");
    const std::string config =
        lab.client.folder().write("config", lab.config("  ProxyCommand nc %h %p\n"));
    const Inspection run = lab.client.inspect({"--ssh-config", config});
    check_failure(run.host("node"),
                  {"config.unsupported", "config", 0, "node", "transport: auto", "ProxyCommand"});
}

FAULT("config.no_ssh by transport openssh where no ssh is installed") {
    if (sshd_missing()) return;
    OneServer lab;
    const TempDir bin;
    lab.client.set("PATH", bin.path());
    const Inspection run = lab.inspect("transport: openssh");
    check_failure(run.host("node"),
                  {"config.no_ssh", "config", 0, "node", "install the OpenSSH client", ""});
}

// resolve

namespace {

void check_resolve(NameServer::Manner manner, const std::string& kind,
                   const std::string& next_step) {
    const NameServer server(manner);
    const PrivateEtc etc({{"resolv.conf", server.resolv_conf()},
                          {"nsswitch.conf", "hosts: files dns\npasswd: files\n"}});
    Client client;
    client.go_through(etc.around({}));
    client.add_host("node", "address: gpu1.lab.example");
    const Inspection run = client.inspect({"--connect-timeout", "2s"});
    check_failure(run.host("node"), {kind, "resolve", 0, "node", next_step, "gpu1.lab.example"});
}

}  // namespace

FAULT("resolve.not_found by a name that the name server does not know") {
    if (sshd_missing() || namespaces_missing()) return;
    check_resolve(NameServer::Manner::knows_nothing, "resolve.not_found", "address:");
}

FAULT("resolve.failed by a name server that is broken") {
    if (sshd_missing() || namespaces_missing()) return;
    check_resolve(NameServer::Manner::is_broken, "resolve.failed", "getent hosts");
}

FAULT("resolve.timeout by a name server that is silent") {
    if (sshd_missing() || namespaces_missing()) return;
    check_resolve(NameServer::Manner::is_silent, "resolve.timeout", "getent hosts");
}

FAULT("resolve.not_found by a name that the jump host does not know") {
    if (sshd_missing() || namespaces_missing()) return;
    const NameServer server(NameServer::Manner::knows_nothing);
    Client client;
    SshdOptions options = open_to(client);
    options.etc_files = {{"resolv.conf", server.resolv_conf()},
                         {"nsswitch.conf", "hosts: files dns\npasswd: files\n"}};
    const Sshd hop(options);
    client.know(hop.known_hosts_line());
    client.add_host("node", "address: gpu1.lab.example, " + jump_through(hop.port()));
    check_failure(client.inspect(patient).host("node"),
                  {"resolve.not_found", "resolve", 0, "node", "", "gpu1.lab.example"});
}

// connect

FAULT("connect.refused by a port on which nothing listens") {
    const Listener gone = refuse_on_loopback();
    check_failure(inspect_port(gone.port).host("node"),
                  {"connect.refused", "connect", 0, "node", "start sshd",
                   "port " + std::to_string(gone.port)});
}

FAULT("connect.timeout by a port that answers no request") {
    const DeafListener deaf = deaf_on_loopback();
    check_failure(inspect_port(deaf.listener.port, hasty).host("node"),
                  {"connect.timeout", "connect", 0, "node", "ping 127.0.0.1", "700 ms"});
}

FAULT("connect.no_route by an address that no network leads to") {
    if (namespaces_missing()) return;
    const Machine island;
    Client client(&island);
    client.add_host("node", "address: 203.0.113.7");
    check_failure(client.inspect(patient).host("node"),
                  {"connect.no_route", "connect", 0, "node", "VPN", "203.0.113.7"});
}

FAULT("connect.failed by a route that is prohibited here") {
    if (namespaces_missing()) return;
    const Machine island;
    island.ip({"route", "add", "prohibit", "203.0.113.7"});
    Client client(&island);
    client.add_host("node", "address: 203.0.113.7");
    check_failure(client.inspect(patient).host("node"),
                  {"connect.failed", "connect", 0, "node", "ssh ", "203.0.113.7"});
}

FAULT("connect.refused by the port of a jump host on which nothing listens") {
    const Listener gone = refuse_on_loopback();
    Client client;
    client.add_port("node", 9, jump_through(gone.port));
    check_failure(client.inspect(patient).host("node"),
                  {"connect.refused", "connect", 1, "127.0.0.1", "start sshd",
                   "port " + std::to_string(gone.port)});
}

FAULT("connect.timeout by a jump host that answers no request") {
    const DeafListener deaf = deaf_on_loopback();
    Client client;
    client.add_port("node", 9, jump_through(deaf.listener.port));
    check_failure(client.inspect(hasty).host("node"),
                  {"connect.timeout", "connect", 1, "127.0.0.1", "ping", ""});
}

FAULT("resolve by a jump host whose name nobody knows") {
    Client client;
    client.add_port("node", 9, "jump: no-such-hop.invalid");
    const Inspection run = client.inspect(hasty);
    const json& failure = run.host("node").at("failure");
    INFO(failure.dump());
    CHECK(failure.at("stage") == "resolve");
    CHECK(failure.at("hop").at("index") == 1);
    CHECK(failure.at("hop").at("name") == "no-such-hop.invalid");
}

FAULT("connect.refused by a host behind a jump host") {
    if (sshd_missing()) return;
    const Listener gone = refuse_on_loopback();
    OneServer hop;
    hop.client.add_port("node", gone.port, jump_through(hop.sshd->port()));
    check_failure(hop.client.inspect(patient).host("node"),
                  {"connect.refused", "connect", 0, "node", "from there", "refused"});
}

FAULT("connect.timeout by a host that is deaf behind a jump host") {
    if (sshd_missing()) return;
    const DeafListener deaf = deaf_on_loopback();
    OneServer hop;
    hop.client.add_port("node", deaf.listener.port, jump_through(hop.sshd->port()));
    check_failure(hop.client.inspect({"--connect-timeout", "2s"}).host("node"),
                  {"connect.timeout", "connect", 0, "node", "from there", "127.0.0.1"});
}

FAULT("connect.refused at the second of two jump hosts") {
    if (sshd_missing()) return;
    const Listener gone = refuse_on_loopback();
    OneServer hop;
    hop.client.add_port("node", 9,
                        "jump: \"127.0.0.1:" + std::to_string(hop.sshd->port()) +
                            ",127.0.0.1:" + std::to_string(gone.port) + "\"");
    check_failure(hop.client.inspect(patient).host("node"),
                  {"connect.refused", "connect", 2, "127.0.0.1", "from there", "refused"});
}

// handshake

FAULT("handshake.not_ssh from a web server") {
    const FakeServer server(saying("HTTP/1.1 400 Bad Request\r\nServer: nginx\r\n\r\n"));
    check_host(server, {"handshake.not_ssh", "handshake", 0, "node", "check the port", "HTTP/1.1"});
}

FAULT("handshake.not_ssh from a port that floods with text") {
    const FakeServer server(flooding("no ssh is spoken here, whatever you are waiting for\r\n"));
    check_host(server, {"handshake.not_ssh", "handshake", 0, "node", "check the port", "no ssh"});
}

FAULT("handshake.not_ssh with its text made safe for a terminal") {
    const FakeServer server(saying("\x1b]0;owned\x07\r\n220 mail\x1b[2J\r\n"));
    const Inspection run = inspect_port(server.port());
    check_failure(run.host("node"),
                  {"handshake.not_ssh", "handshake", 0, "node", "check the port", "220 mail"});
    CHECK(run.report.dump().find('\x1b') == std::string::npos);
}

FAULT("handshake.closed from a port that says a line that is no ssh") {
    const FakeServer server(saying("the backup is running\r\n"));
    const ExpectedFailure expected{"handshake.closed",     "handshake", 0, "node", "MaxStartups",
                                   "the backup is running"};
    check_host(server, expected, hasty);
}

FAULT("handshake.closed from a port that accepts and closes") {
    const FakeServer server(closing());
    check_host(server, {"handshake.closed", "handshake", 0, "node", "MaxStartups", "closed"});
    // Twice more at the most, since nothing but the connection was given away.
    CHECK(server.connections() >= 2);
    CHECK(server.connections() <= 3);
}

FAULT("handshake.closed from a port that accepts and resets") {
    const FakeServer server(resetting());
    check_host(server, {"handshake.closed", "handshake", 0, "node", "MaxStartups", ""});
}

FAULT("handshake.closed from a port that closes after its identification") {
    const FakeServer server(saying(ssh_identification));
    check_host(server, {"handshake.closed", "handshake", 0, "node", "MaxStartups", ""});
}

FAULT("handshake.closed from a port that closes within the key exchange") {
    const FakeServer server([](FakePeer& peer) {
        peer.say(ssh_identification + usual_key_exchange_offer());
        std::string heard;
        // The identification and the offer of the client, then it is over.
        while (heard.size() < 600) {
            const std::string more = peer.hear();
            if (more.empty()) return;
            heard += more;
        }
    });
    check_host(server, {"handshake.closed", "handshake", 0, "node", "MaxStartups", ""});
}

FAULT("handshake.throttled from a port that says Exceeded MaxStartups") {
    const FakeServer server(saying("Exceeded MaxStartups\r\n"));
    check_host(server, {"handshake.throttled", "handshake", 0, "node", "--parallel",
                        "Exceeded MaxStartups"});
    CHECK(server.connections() >= 2);
    CHECK(server.connections() <= 3);
}

FAULT("handshake.throttled from a real sshd whose one place is taken") {
    if (sshd_missing()) return;
    OneServer lab([](SshdOptions& options) { options.extra_config = "MaxStartups 1\n"; });
    // Somebody who connects and never says who they are.
    ProgramOrder sitter;
    sitter.argv = {"bash", "-c",
                   "exec 3<>/dev/tcp/127.0.0.1/" + std::to_string(lab.sshd->port()) +
                       "; read -r line <&3; exec sleep 600"};
    BackgroundProgram sitting(sitter, "/dev/null", "/dev/null");
    REQUIRE(lab.sshd->wait_until_logged("Connection from"));
    check_failure(lab.inspect().host("node"), {"handshake.throttled", "handshake", 0, "node",
                                               "--parallel", "Exceeded MaxStartups"});
}

FAULT("handshake.penalised from a port that says Not allowed at this time") {
    const FakeServer server(saying("Not allowed at this time\r\n"));
    check_host(server, {"handshake.penalised", "handshake", 0, "node", "PerSourcePenalties",
                        "Not allowed"});
    // Whoever comes again makes it longer.
    CHECK(server.connections() == 1);
}

FAULT("handshake.timeout from a port that accepts and is silent") {
    const FakeServer server(silent());
    check_host(server, {"handshake.timeout", "handshake", 0, "node", "sshd does not", ""}, hasty);
    CHECK(server.connections() == 1);
}

FAULT("handshake.timeout from a port that drips") {
    const FakeServer server(dripping("SSH-2.0-slow"));
    check_host(server, {"handshake.timeout", "handshake", 0, "node", "sshd does not", ""}, hasty);
}

FAULT("handshake.timeout from a port that is silent after its identification") {
    const FakeServer server(saying_only(ssh_identification));
    check_host(server, {"handshake.timeout", "handshake", 0, "node", "sshd does not", ""}, hasty);
}

FAULT("handshake.timeout from a port that is silent within the key exchange") {
    const FakeServer server(saying_only(ssh_identification + usual_key_exchange_offer()));
    check_host(server, {"handshake.timeout", "handshake", 0, "node", "sshd does not", ""}, hasty);
}

FAULT("handshake.no_common_algorithm from an offer of yesterday") {
    const FakeServer server(
        saying_only(ssh_identification +
                    key_exchange_offer("diffie-hellman-group1-sha1", "ssh-rsa", "3des-cbc")));
    check_host(server, {"handshake.no_common_algorithm", "handshake", 0, "node", "update",
                        "diffie-hellman-group1-sha1"});
}

FAULT("handshake.no_common_algorithm from a real sshd with an old cipher") {
    if (sshd_missing()) return;
    OneServer lab([](SshdOptions& options) { options.first_config = "Ciphers 3des-cbc\n"; });
    check_failure(lab.inspect().host("node"),
                  {"handshake.no_common_algorithm", "handshake", 0, "node", "update", "3des-cbc"});
}

FAULT("handshake.failed from a port that talks nonsense after its identification") {
    const FakeServer server(saying_only(std::string(ssh_identification) + std::string(64, '\xff')));
    check_host(server, {"handshake.failed", "handshake", 0, "node", "ssh -v", ""});
}

FAULT("handshake.timeout from a jump host that is silent") {
    const FakeServer server(silent());
    check_hop(server, {"handshake.timeout", "handshake", 1, "127.0.0.1", "sshd does not", ""},
              hasty);
}

FAULT("handshake.throttled from a jump host") {
    const FakeServer server(saying("Exceeded MaxStartups\r\n"));
    check_hop(server, {"handshake.throttled", "handshake", 1, "127.0.0.1", "MaxStartups", ""});
    CHECK(server.connections() <= 3);
}

FAULT("handshake.penalised from a jump host") {
    const FakeServer server(saying("Not allowed at this time\r\n"));
    check_hop(server,
              {"handshake.penalised", "handshake", 1, "127.0.0.1", "PerSourcePenalties", ""});
    CHECK(server.connections() == 1);
}

FAULT("handshake.not_ssh from a jump host") {
    const FakeServer server(saying("HTTP/1.1 400 Bad Request\r\n\r\n"));
    check_hop(server, {"handshake.not_ssh", "handshake", 1, "127.0.0.1", "check the port", "HTTP"});
}

FAULT("handshake.timeout from a host that is silent behind a jump host") {
    if (sshd_missing()) return;
    const FakeServer server(silent());
    OneServer hop;
    hop.client.add_port("node", server.port(), jump_through(hop.sshd->port()));
    check_failure(hop.client.inspect({"--connect-timeout", "2s"}).host("node"),
                  {"handshake.timeout", "handshake", 0, "node", "sshd does not", ""});
}

FAULT("handshake.not_ssh from a host behind a jump host") {
    if (sshd_missing()) return;
    const FakeServer server(saying("220 mail.example ESMTP\r\n"));
    OneServer hop;
    hop.client.add_port("node", server.port(), jump_through(hop.sshd->port()));
    check_failure(hop.client.inspect(patient).host("node"),
                  {"handshake.not_ssh", "handshake", 0, "node", "check the port", "ESMTP"});
}

// host key

FAULT("hostkey.unknown by a host that known_hosts does not name") {
    if (sshd_missing()) return;
    OneServer lab;
    lab.client.know_only("");
    check_failure(lab.inspect().host("node"),
                  {"hostkey.unknown", "host-key", 0, "node", "ssh ", "SHA256:"});
    CHECK(lab.sshd->times_logged("Accepted") + lab.sshd->times_logged("Failed") == 0);
}

FAULT("hostkey.changed by a host whose key is another one") {
    if (sshd_missing()) return;
    OneServer lab;
    const OneServer other;
    const std::string name = "[127.0.0.1]:" + std::to_string(lab.sshd->port());
    lab.client.know_only(name + " " + other.sshd->host_key());
    check_failure(lab.inspect().host("node"),
                  {"hostkey.changed", "host-key", 0, "node", "ssh-keygen -R", "SHA256:"});
    CHECK(lab.sshd->times_logged("Accepted") + lab.sshd->times_logged("Failed") == 0);
}

FAULT("hostkey.revoked by a host whose key is marked") {
    if (sshd_missing()) return;
    OneServer lab;
    lab.client.know("@revoked * " + lab.sshd->host_key());
    check_failure(lab.inspect().host("node"),
                  {"hostkey.revoked", "host-key", 0, "node", "@revoked", ""});
}

FAULT("hostkey.certificate_only by an authority and no ssh to ask it with") {
    if (sshd_missing()) return;
    OneServer lab;
    const ClientKey authority = make_client_key(lab.client.folder(), "authority");
    lab.client.know_only("@cert-authority * " + authority.public_line);
    check_failure(lab.inspect("transport: libssh").host("node"),
                  {"hostkey.certificate_only", "host-key", 0, "node", "@cert-authority", ""});
}

FAULT("hostkey.unknown by a host without a certificate, asked by the system's ssh") {
    if (sshd_missing() || component_missing("ssh")) return;
    OneServer lab;
    const ClientKey authority = make_client_key(lab.client.folder(), "authority");
    lab.client.know_only("@cert-authority * " + authority.public_line);
    check_failure(lab.inspect().host("node"),
                  {"hostkey.unknown", "host-key", 0, "node", "ssh ", ""});
}

FAULT("hostkey.changed by the system's ssh") {
    if (sshd_missing() || component_missing("ssh")) return;
    OneServer lab;
    const OneServer other;
    const std::string name = "[127.0.0.1]:" + std::to_string(lab.sshd->port());
    lab.client.know_only(name + " " + other.sshd->host_key());
    check_failure(lab.inspect("transport: openssh").host("node"),
                  {"hostkey.changed", "host-key", 0, "node", "ssh-keygen -R", ""});
}

FAULT("hostkey.unknown at a jump host") {
    if (sshd_missing()) return;
    TwoServers lab;
    lab.client.know_only(lab.host->known_hosts_line());
    check_failure(lab.inspect().host("node"), {"hostkey.unknown", "host-key", 1, "127.0.0.1",
                                               std::to_string(lab.hop->port()), "SHA256:"});
    CHECK(lab.hop->times_logged("Accepted") == 0);
}

FAULT("hostkey.changed at a jump host") {
    if (sshd_missing()) return;
    TwoServers lab;
    const std::string name = "[127.0.0.1]:" + std::to_string(lab.hop->port());
    lab.client.know_only(lab.host->known_hosts_line() + "\n" + name + " " + lab.host->host_key());
    check_failure(lab.inspect().host("node"),
                  {"hostkey.changed", "host-key", 1, "127.0.0.1", "ssh-keygen -R", "SHA256:"});
    CHECK(lab.hop->times_logged("Accepted") == 0);
}

FAULT("hostkey.changed at a host behind a jump host") {
    if (sshd_missing()) return;
    TwoServers lab;
    const std::string name = "[127.0.0.1]:" + std::to_string(lab.host->port());
    lab.client.know_only(lab.hop->known_hosts_line() + "\n" + name + " " + lab.hop->host_key());
    check_failure(lab.inspect().host("node"),
                  {"hostkey.changed", "host-key", 0, "node", "ssh-keygen -R", "SHA256:"});
    CHECK(lab.host->times_logged("Accepted") == 0);
}

// auth

FAULT("auth.denied by a key that is not authorized") {
    if (sshd_missing()) return;
    OneServer lab(nobody);
    check_failure(lab.inspect().host("node"),
                  {"auth.denied", "auth", 0, "node", "ssh-copy-id", lab.client.key().path});
    CHECK(lab.sshd->times_logged("Connection from") == 1);
}

FAULT("auth.denied by the system's ssh") {
    if (sshd_missing() || component_missing("ssh")) return;
    OneServer lab(nobody);
    check_failure(lab.inspect("transport: openssh").host("node"),
                  {"auth.denied", "auth", 0, "node", "ssh-copy-id", ""});
}

FAULT("auth.denied at a jump host") {
    if (sshd_missing()) return;
    TwoServers lab(nobody);
    check_failure(lab.inspect().host("node"),
                  {"auth.denied", "auth", 1, "127.0.0.1", "ssh-copy-id", ""});
    CHECK(lab.host->times_logged("Connection from") == 0);
}

FAULT("auth.denied at a host behind a jump host") {
    if (sshd_missing()) return;
    TwoServers lab({}, nobody);
    check_failure(
        lab.inspect().host("node"),
        {"auth.denied", "auth", 0, "node",
         "ProxyJump=" + current_user() + "@127.0.0.1:" + std::to_string(lab.hop->port()), ""});
}

FAULT("auth.no_key by a key that others can read") {
    if (sshd_missing()) return;
    OneServer lab;
    lab.client.without_identity();
    const std::string open_key =
        lab.client.folder().write("open_key", read_file(lab.client.key().path), 0644);
    check_failure(lab.inspect("identity: " + open_key).host("node"),
                  {"auth.no_key", "auth", 0, "node", "--identity", "chmod 600"});
}

FAULT("auth.no_key by an encrypted key and no terminal to ask on") {
    if (sshd_missing()) return;
    OneServer lab;
    lab.client.without_identity();
    const ClientKey key =
        make_client_key(lab.client.folder(), "secret_key", "ed25519", "a passphrase");
    check_failure(lab.inspect("identity: " + key.path).host("node"),
                  {"auth.no_key", "auth", 0, "node", "", "encrypted"});
}

FAULT("auth.partial by a host that wants a password as well") {
    if (sshd_missing()) return;
    OneServer lab([](SshdOptions& options) {
        options.first_config =
            "PasswordAuthentication yes\nAuthenticationMethods publickey,password\n";
    });
    check_failure(lab.inspect().host("node"),
                  {"auth.partial", "auth", 0, "node", "second factor", "password"});
}

FAULT("auth.agent_failed by an agent that never answers") {
    if (sshd_missing()) return;
    OneServer lab;
    const std::string path = lab.client.folder().file("agent");
    const gpumuster::UniqueFd agent(::socket(AF_UNIX, SOCK_STREAM, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    REQUIRE(::bind(agent.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
    REQUIRE(::listen(agent.get(), 16) == 0);
    lab.client.set("SSH_AUTH_SOCK", path);
    lab.client.without_identity();
    check_failure(lab.inspect().host("node"),
                  {"auth.agent_failed", "auth", 0, "node", "ssh-add -l", "agent"});
}

FAULT("auth.not_tried by a key that twenty hosts refused") {
    if (sshd_missing()) return;
    OneServer lab(nobody);
    for (int i = 1; i <= 40; ++i) lab.client.add_port("node" + std::to_string(i), lab.sshd->port());
    const Inspection run = lab.client.inspect({"--parallel", "4"});
    INFO(run.report.dump());
    const std::size_t denied = run.count_of_kind("auth.denied");
    CHECK(denied >= 20);
    CHECK(denied <= 30);
    CHECK(run.count_of_kind("auth.not_tried") == 40 - denied);
    check_failure(run.host("node40"), {"auth.not_tried", "auth", 0, "node40", "ssh ", ""});
}

namespace {

// An sshd that takes the key and then asks PAM, which keeps everybody out.
void check_kept_out(const std::string& account_rules, const ExpectedFailure& expected) {
    OneServer lab([&](SshdOptions& options) {
        options.first_config = "UsePAM yes\n";
        options.etc_files = {{"pam.d/sshd", "auth required pam_permit.so\n" + account_rules +
                                                "session required pam_permit.so\n"}};
    });
    check_failure(lab.inspect().host("node"), expected);
    CHECK(lab.sshd->times_logged("Connection from") == 1);
}

}  // namespace

FAULT("auth.login_refused by an account that PAM keeps out and says why") {
    if (sshd_missing() || namespaces_missing()) return;
    check_kept_out(
        "account optional pam_echo.so you have no active job on this node\n"
        "account required pam_deny.so\n",
        {"auth.login_refused", "auth", 0, "node", "job allocation", "no active job"});
}

FAULT("auth.failed by an account that PAM keeps out without a word") {
    if (sshd_missing() || namespaces_missing()) return;
    check_kept_out("account required pam_deny.so\n",
                   {"auth.failed", "auth", 0, "node", "ssh -v", "closed the connection"});
}

FAULT("auth.timeout by a host that does not decide") {
    if (sshd_missing()) return;
    OneServer lab([](SshdOptions& options) {
        options.first_config =
            "AuthorizedKeysCommand /bin/sleep 60\nAuthorizedKeysCommandUser root\n"
            "AuthorizedKeysFile none\n";
    });
    check_failure(lab.inspect().host("node"),
                  {"auth.timeout", "auth", 0, "node", "PAM", "in time"});
}

// channel and hop

FAULT("hop.forwarding_forbidden by AllowTcpForwarding no") {
    if (sshd_missing()) return;
    TwoServers lab([](SshdOptions& options) { options.extra_config = "AllowTcpForwarding no\n"; });
    check_failure(lab.inspect().host("node"), {"hop.forwarding_forbidden", "channel", 1,
                                               "127.0.0.1", "AllowTcpForwarding", ""});
}

FAULT("hop.forwarding_forbidden by a PermitOpen that leads elsewhere") {
    if (sshd_missing()) return;
    TwoServers lab([](SshdOptions& options) { options.extra_config = "PermitOpen 127.0.0.1:1\n"; });
    check_failure(lab.inspect().host("node"),
                  {"hop.forwarding_forbidden", "channel", 1, "127.0.0.1", "PermitOpen", ""});
}

FAULT("hop.forwarding_forbidden by a key that is for nothing") {
    if (sshd_missing()) return;
    TwoServers lab([](SshdOptions& options) {
        options.authorized_key = "no-port-forwarding " + options.authorized_key;
    });
    check_failure(lab.inspect().host("node"),
                  {"hop.forwarding_forbidden", "channel", 1, "127.0.0.1", "", ""});
}

FAULT("hop.no_channel by a jump host without descriptors") {
    if (sshd_missing() || component_missing("prlimit")) return;
    TwoServers lab;
    ProgramOrder few;
    few.argv = {"prlimit", "--pid", std::to_string(lab.hop->pid()), "--nofile=24:24"};
    REQUIRE(run_program(few).status == 0);
    for (int i = 1; i <= 30; ++i) {
        lab.client.add_port("node" + std::to_string(i), lab.host->port(),
                            jump_through(lab.hop->port()));
    }
    const Inspection run = lab.client.inspect(patient);
    INFO(run.report.dump());
    const std::size_t without = run.count_of_kind("hop.no_channel");
    CHECK(run.count("clean") + without == 30);
    for (const json& host : run.report.at("hosts")) {
        if (host.at("failure").is_null()) continue;
        check_failure(host, {"hop.no_channel", "channel", 1, "127.0.0.1", "descriptor limit", ""});
    }
}

FAULT("hop.lost by a jump host that is killed") {
    if (sshd_missing()) return;
    const FakeServer mute(silent());
    OneServer hop;
    hop.client.add_port("node", mute.port(), jump_through(hop.sshd->port()));
    const TempDir& folder = hop.client.folder();
    BackgroundProgram program(hop.client.inventory_order({"--connect-timeout", "60s"}),
                              folder.file("out"), folder.file("err"));
    for (int i = 0; i < 1000 && mute.connections() == 0; ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    REQUIRE(mute.connections() == 1);
    hop.sshd->kill();
    const int status = program.wait();
    const Inspection run =
        read_inspection({status, read_file(folder.file("out")), read_file(folder.file("err"))});
    check_failure(run.host("node"), {"hop.lost", "channel", 1, "127.0.0.1", "sshd log", ""});
}

FAULT("channel.refused by MaxSessions 0") {
    if (sshd_missing()) return;
    OneServer lab([](SshdOptions& options) { options.extra_config = "MaxSessions 0\n"; });
    check_failure(lab.inspect().host("node"),
                  {"channel.refused", "channel", 0, "node", "MaxSessions", ""});
}

FAULT("channel.refused by MaxSessions 0 behind a jump host") {
    if (sshd_missing()) return;
    TwoServers lab({}, [](SshdOptions& options) { options.extra_config = "MaxSessions 0\n"; });
    check_failure(lab.inspect().host("node"),
                  {"channel.refused", "channel", 0, "node", "MaxSessions", ""});
}

// the run

FAULT("run.out_of_time by a run that may take a second") {
    const FakeServer server(silent());
    const Inspection run = inspect_port(server.port(), {"--timeout", "1s"});
    check_failure(run.host("node"), {"run.out_of_time", "handshake", 0, "node", "--timeout", ""});
}

FAULT("run.interrupted while a jump host is silent") {
    const FakeServer server(silent());
    Client client;
    client.add_port("node", 9, jump_through(server.port()));
    const TempDir& folder = client.folder();
    BackgroundProgram program(client.inventory_order({"--connect-timeout", "60s"}),
                              folder.file("out"), folder.file("err"));
    for (int i = 0; i < 1000 && server.connections() == 0; ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    program.send_signal(SIGINT);
    CHECK(program.wait() == 130);
    const Inspection run =
        read_inspection({130, read_file(folder.file("out")), read_file(folder.file("err"))});
    INFO(run.report.dump());
    CHECK(run.host("node").at("failure").at("kind") == "run.interrupted");
}

// What is reached and does not answer as asked has findings, and no failure.

FAULT("reached: a forced command that ignores what it is asked is unknown") {
    if (sshd_missing()) return;
    OneServer lab([](SshdOptions& options) { options.extra_config = "ForceCommand echo hello\n"; });
    check_verdict(lab.inspect().host("node"), "unknown");
}

FAULT("reached: a login shell that lets nobody in is unknown") {
    if (sshd_missing() || namespaces_missing() || component_missing("nologin")) return;
    OneServer lab([](SshdOptions& options) {
        options.accounts = {SshdAccount{"shut", options.authorized_key, program_path("nologin")}};
    });
    check_verdict(lab.inspect("user: shut").host("node"), "unknown");
}

FAULT("reached: a login file that sleeps is hung") {
    if (sshd_missing() || namespaces_missing() || component_missing("bash")) return;
    OneServer lab([](SshdOptions& options) {
        options.accounts = {SshdAccount{"slow", options.authorized_key, program_path("bash")}};
    });
    std::ofstream(lab.sshd->home() + "/.bashrc") << "sleep 60\n";
    lab.client.add_port("node", lab.sshd->port(), "user: slow");
    check_verdict(lab.client.inspect({"--command-timeout", "2s"}).host("node"), "hung");
}

FAULT("reached: a login file that exits is unknown") {
    if (sshd_missing() || namespaces_missing() || component_missing("bash")) return;
    OneServer lab([](SshdOptions& options) {
        options.accounts = {SshdAccount{"gone", options.authorized_key, program_path("bash")}};
    });
    std::ofstream(lab.sshd->home() + "/.bashrc") << "exit 3\n";
    check_verdict(lab.inspect("user: gone").host("node"), "unknown");
}

// Odd, and right all the same.

FAULT("none: login files that print do no harm in any shell") {
    if (sshd_missing() || namespaces_missing()) return;
    std::vector<std::string> shells;
    for (const char* shell : {"sh", "bash", "dash", "zsh", "fish", "tcsh", "ksh"}) {
        if (has_component(shell)) shells.push_back(shell);
    }
    OneServer lab([&](SshdOptions& options) {
        for (const std::string& shell : shells) {
            options.accounts.push_back(
                SshdAccount{"by-" + shell, options.authorized_key, program_path(shell)});
        }
    });
    for (const char* file : {".bashrc", ".profile", ".zshenv", ".cshrc", ".tcshrc", ".kshrc"}) {
        std::ofstream(lab.sshd->home() + "/" + file) << "echo '0, 9999 MiB'\n";
    }
    for (const std::string& shell : shells) {
        lab.client.add_port(shell, lab.sshd->port(), "user: by-" + shell);
    }
    const Inspection run = lab.client.inspect(patient);
    for (const std::string& shell : shells) check_clean(run.host(shell));
}

FAULT("none: of two host keys only the second is known, and it is asked for first") {
    if (sshd_missing()) return;
    OneServer lab([](SshdOptions& options) { options.host_key_types = {"ed25519", "ecdsa"}; });
    lab.client.know_only(lab.sshd->known_hosts_line("127.0.0.1", "ecdsa"));
    check_clean(lab.inspect().host("node"));
}

FAULT("none: a host with a certificate is entered by the system's ssh, and the report says why") {
    if (sshd_missing() || component_missing("ssh")) return;
    Client client;
    const ClientKey authority = make_client_key(client.folder(), "authority");
    SshdOptions options = open_to(client);
    options.host_authority = authority.path;
    options.host_principals = "127.0.0.1";
    const Sshd sshd(options);
    client.know("@cert-authority 127.0.0.1,[127.0.0.1]:* " + authority.public_line);
    client.add_port("node", sshd.port());
    const Inspection run = client.inspect(patient);
    check_clean(run.host("node"));
    CHECK(run.report.dump().find("cert-authority") != std::string::npos);
}

FAULT("none: a user certificate beside the key lets in where the key alone would not") {
    if (sshd_missing()) return;
    Client client;
    const ClientKey authority = make_client_key(client.folder(), "authority");
    sign_key(authority.path, client.key().path + ".pub", {"-n", current_user()});
    SshdOptions options = open_to(client);
    options.authorized_key = "# nobody";
    options.extra_config = "TrustedUserCAKeys " + authority.path + ".pub\n";
    const Sshd sshd(options);
    client.know(sshd.known_hosts_line());
    client.add_port("node", sshd.port());
    check_clean(client.inspect(patient).host("node"));
}

FAULT("none: every kind of key logs in") {
    if (sshd_missing()) return;
    Client client;
    SshdOptions options = open_to(client);
    options.authorized_key.clear();
    for (const char* type : {"ed25519", "ecdsa", "rsa"}) {
        const ClientKey key = make_client_key(client.folder(), type, type);
        options.authorized_key += key.public_line + "\n";
    }
    const Sshd sshd(options);
    client.know(sshd.known_hosts_line());
    for (const char* type : {"ed25519", "ecdsa", "rsa"}) {
        client.add_port(type, sshd.port(), "identity: " + client.folder().file(type));
    }
    const Inspection run = client.inspect(patient);
    for (const char* type : {"ed25519", "ecdsa", "rsa"}) check_clean(run.host(type));
}

FAULT("none: MaxSessions 1 is enough for a host") {
    if (sshd_missing()) return;
    OneServer lab([](SshdOptions& options) { options.extra_config = "MaxSessions 1\n"; });
    check_clean(lab.inspect().host("node"));
}
