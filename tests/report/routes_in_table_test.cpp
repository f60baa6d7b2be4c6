#include <algorithm>

#include "report/samples.hpp"
#include "support/catch.hpp"

namespace gpumuster {
namespace {

using namespace test;

constexpr TableStyle wide{.colour = Colour::off, .width = TableWidth::wide};

std::string numbered(const std::string& prefix, int number) {
    const std::string digits = std::to_string(number);
    return prefix + std::string(3 - std::min<std::size_t>(3, digits.size()), '0') + digits;
}

std::ptrdiff_t lines_in(const std::string& text) {
    return std::ranges::count(text, '\n');
}

HopRef bastion() {
    return {.index = 1,
            .name = "bastion",
            .address = "203.0.113.1",
            .ssh_arguments = "-p 2222 ops@203.0.113.1"};
}

// A host of its own address behind the bastion, which failed at the host itself.
HostReport behind_bastion(int number, FailureKind kind, const std::string& what) {
    const std::string address = "10.0.0." + std::to_string(number);
    HopRef hop{.index = 0,
               .name = numbered("gpu", number),
               .address = address,
               .ssh_arguments = "-J ops@203.0.113.1 root@" + address};
    Failure failure = make_failure(kind, std::move(hop), address + what);
    return failed_at(numbered("gpu", number), std::move(failure));
}

HostReport through_openssh(const std::string& name, const std::string& reason) {
    HostReport report = idle_node(name);
    report.route = {"openssh", reason, {}};
    return report;
}

HostReport remarked(HostReport report, RemarkKind kind, HopRef hop, const std::string& message) {
    report.remarks = {{kind, std::move(hop), message}};
    add_remarks(report.verdict, report.remarks);
    return report;
}

HostReport unverified(int number) {
    const std::string name = numbered("node", number);
    return remarked(idle_node(name), RemarkKind::host_key_unverified, {.index = 0, .name = name},
                    "the key of " + name + " (SHA256:" + std::to_string(number) + ") is new");
}

}  // namespace

TEST_CASE("two hundred hosts behind a jump host that refuses are a handful of lines") {
    std::vector<HostReport> hosts{idle_node("login")};
    for (int i = 1; i <= 200; ++i) {
        hosts.push_back(failed_at(numbered("gpu", i),
                                  make_failure(FailureKind::connect_refused, bastion(),
                                               "203.0.113.1 port 2222 refuses connections")));
    }
    CHECK(table_of(fleet_of(hosts)) ==
          R"(HOST          VERDICT      GPUS  MEMORY USED (MiB)  MODEL           DRIVER     TIME
login         clean        8/8   0–2                H100 80GB HBM3  570.86.15  900 ms
gpu[001-200]  unreachable  –     connection refused at bastion                 200 ms

gpu[001-200]  hop bastion: 203.0.113.1 port 2222 refuses connections
              → no sshd listens there: check the port, or start sshd on the host

1 of 201 hosts clean · 200 unreachable · 8 of 8 GPUs free · 1.4 s
)");
}

TEST_CASE("the next step for a jump host is the jump host's, however many are behind it") {
    std::vector<HostReport> hosts;
    for (int i = 1; i <= 3; ++i) {
        hosts.push_back(
            failed_at(numbered("gpu", i),
                      make_failure(FailureKind::auth_denied, bastion(), "no key was accepted")));
    }
    CHECK_THAT(table_of(fleet_of(hosts)),
               ContainsSubstring("\ngpu[001-003]  hop bastion: no key was accepted\n"
                                 "              → check the user and the key: "
                                 "ssh-copy-id -p 2222 ops@203.0.113.1\n"));
}

TEST_CASE("hosts behind different jump hosts are told apart") {
    HopRef other = bastion();
    other.name = "door";
    const auto failed_there = [](int number, const HopRef& hop) {
        return failed_at(numbered("gpu", number),
                         make_failure(FailureKind::hop_lost, hop, "the connection broke"));
    };
    const std::string text =
        table_of(fleet_of({failed_there(1, bastion()), failed_there(2, other)}));
    CHECK_THAT(text, ContainsSubstring("\ngpu001  unreachable  –     connection lost at bastion"));
    CHECK_THAT(text, ContainsSubstring("\ngpu002  unreachable  –     connection lost at door"));
    CHECK_THAT(text, ContainsSubstring("\ngpu001  hop bastion: the connection broke\n"));
    CHECK_THAT(text, ContainsSubstring("\ngpu002  hop door: the connection broke\n"));
}

TEST_CASE("hosts that fail alike at addresses of their own are one entry") {
    std::vector<HostReport> hosts;
    for (int i = 1; i <= 200; ++i) {
        hosts.push_back(behind_bastion(i, FailureKind::connect_refused,
                                       " port 22 as seen from bastion: Connection refused"));
        Failure& failure = *hosts.back().failure;
        failure.next_step =
            "check it from there: ssh ops@203.0.113.1 and then: ssh -p 22 " + failure.hop.address;
        hosts.back().verdict = judge(failure);
    }
    const std::string text = table_of(fleet_of(hosts));
    CHECK(lines_in(text) == 7);
    CHECK_THAT(text, ContainsSubstring(
                         "\ngpu[001-200]  HOST port 22 as seen from bastion: Connection refused\n"
                         "              → check it from there: ssh ops@203.0.113.1 and then: "
                         "ssh -p 22 HOST\n"));

    const std::string one = table_of(fleet_of({hosts.front(), idle_node("login")}));
    CHECK_THAT(one, ContainsSubstring("\ngpu001  10.0.0.1 port 22 as seen from bastion"));
    CHECK_THAT(one, ContainsSubstring("ssh -p 22 10.0.0.1\n"));
}

TEST_CASE("a name is replaced where it stands as a word, and in no other") {
    const auto denied = [](const std::string& name) {
        return not_inspected(name, FailureKind::auth_denied, name + " refuses " + name + "2");
    };
    const std::string text = table_of(fleet_of({denied("a"), denied("b"), denied("10.0.0.1")}));
    CHECK_THAT(text, ContainsSubstring("\na         a refuses a2\n"));
    CHECK_THAT(text, ContainsSubstring("\nb         b refuses b2\n"));
    CHECK_THAT(text, ContainsSubstring("10.0.0.1  10.0.0.1 refuses 10.0.0.12\n"));
}

TEST_CASE("a container is shown with where it is, and is never folded") {
    std::vector<HostReport> hosts{idle_node("node1"), idle_node("node2")};
    for (const char* id : {"129", "130"}) {
        hosts.push_back(in_container(idle_node("trainer" + std::string(id)), "pve1", {.name = id}));
    }
    CHECK(
        table_of(fleet_of(hosts)) ==
        R"(HOST                   VERDICT  GPUS  MEMORY USED (MiB)  MODEL           DRIVER     TIME
node[1-2]              clean    8/8   0–2                H100 80GB HBM3  570.86.15  900 ms
trainer129 (pve1/129)  clean    8/8   0–2                H100 80GB HBM3  570.86.15  900 ms
trainer130 (pve1/130)  clean    8/8   0–2                H100 80GB HBM3  570.86.15  900 ms

4 of 4 hosts clean · 32 of 32 GPUs free · 1.4 s
)");
}

TEST_CASE("containers that could not be entered keep a row each and share what is to be done") {
    std::vector<HostReport> hosts;
    for (const char* id : {"129", "130"}) {
        const std::string name = "trainer" + std::string(id);
        hosts.push_back(in_container(
            not_inspected(name, FailureKind::container_not_running, "the container is stopped"),
            "pve1", {.name = id}));
    }
    const std::string text = table_of(fleet_of(hosts));
    CHECK_THAT(text,
               ContainsSubstring("\ntrainer129 (pve1/129)  unreachable  –     container not"));
    CHECK_THAT(text,
               ContainsSubstring("\ntrainer130 (pve1/130)  unreachable  –     container not"));
    CHECK_THAT(text, ContainsSubstring("\ntrainer[129-130]  the container is stopped\n"));
}

TEST_CASE("a container on a host that its name says is shown by its own name only") {
    const ContainerEntry docker{.kind = ContainerEntry::Kind::docker, .name = "web"};
    const auto line_of = [&](const std::string& name, const std::string& address) {
        return table_of(fleet_of({in_container(answering(name, h100s({2})), address, docker)}));
    };
    CHECK(line_of("gpu1", "gpu1").starts_with("clean   gpu1 (web)   1 × "));
    CHECK(line_of("root@gpu1:2222", "gpu1").starts_with("clean   root@gpu1:2222 (web)   "));
    CHECK(line_of("lab", "gpu1").starts_with("clean   lab (gpu1/web)   1 × "));
    CHECK(line_of("lab", "gpu1\x1b[31m").starts_with("clean   lab (gpu1\\x1b[31m/web)   "));
}

TEST_CASE("wide calls a container by the host's name") {
    const auto report = in_container(answering("trainer", h100s({2})), "pve1", {.name = "129"});
    const std::string text = table_of(fleet_of({report, idle_node("node1")}), wide);
    CHECK_THAT(text, ContainsSubstring("\ntrainer    0  clean"));
    CHECK(text.find("pve1") == std::string::npos);
}

TEST_CASE("notes stand once, between the findings and the summary") {
    FleetReport report =
        fleet_of({idle_node("node1"), through_openssh("lab1", "ProxyCommand in ssh_config"),
                  through_openssh("lab2", "ProxyCommand in ssh_config"),
                  through_openssh("old", "BindAddress in ssh_config"),
                  not_inspected("edge", FailureKind::auth_denied, "no key was accepted")});
    report.notes = {"the first \x1b[31m", "the second"};
    CHECK_THAT(table_of(report),
               ContainsSubstring("ssh-copy-id edge\n"
                                 "\n"
                                 "note: the first \\x1b[31m\n"
                                 "note: the second\n"
                                 "note: 2 hosts went through the system ssh: ProxyCommand in "
                                 "ssh_config\n"
                                 "note: 1 host went through the system ssh: BindAddress in "
                                 "ssh_config\n"
                                 "\n"
                                 "4 of 5 hosts clean"));
    CHECK_THAT(table_of(report, wide), ContainsSubstring("\nnote: the second\n"));
}

TEST_CASE("a single host has its notes below") {
    const HostReport report = through_openssh("lab1", "ProxyCommand in ssh_config");
    CHECK(table_of(fleet_of({report})) ==
          "clean   lab1   8 × H100 80GB HBM3, all idle (0–2 MiB)   driver 570.86.15   900 ms\n"
          "\n"
          "note: 1 host went through the system ssh: ProxyCommand in ssh_config\n");
}

TEST_CASE("the system's ssh is no news where it was asked for or nobody went") {
    HostReport asked = through_openssh("lab1", "");
    asked.host.settings.transport = TransportChoice::openssh;
    HostReport waiting = not_inspected("lab2", FailureKind::run_interrupted, "interrupted");
    waiting.route = {"openssh", "ProxyCommand in ssh_config", {}};
    CHECK(table_of(fleet_of({asked, waiting, without_way("odd")})).find("note:") ==
          std::string::npos);
}

TEST_CASE("five hundred keys that nobody checks are one warning") {
    std::vector<HostReport> hosts;
    for (int i = 1; i <= 500; ++i) hosts.push_back(unverified(i));
    const std::string text = table_of(fleet_of(hosts));
    CHECK(lines_in(text) == 7);
    CHECK_THAT(text, ContainsSubstring(
                         "\nnode[001-500]  warning: ssh_config switches host key checking off, "
                         "and no known_hosts knew the key\n"
                         "               → compare the fingerprint with the host's own, then: "
                         "ssh -o StrictHostKeyChecking=ask HOST\n"));
    CHECK_THAT(table_of(fleet_of({hosts.front(), idle_node("login")})),
               ContainsSubstring("\nnode001  warning: the key of node001 (SHA256:1) is new\n"
                                 "         → compare the fingerprint with the host's own, then: "
                                 "ssh -o StrictHostKeyChecking=ask node001\n"));
}

TEST_CASE("a jump host's key is remarked on once, with its fingerprint") {
    std::vector<HostReport> hosts;
    for (int i = 1; i <= 200; ++i) {
        hosts.push_back(remarked(idle_node(numbered("gpu", i)), RemarkKind::host_key_unverified,
                                 bastion(), "the key of 203.0.113.1 (SHA256:b) is new"));
    }
    const std::string text = table_of(fleet_of(hosts));
    CHECK(lines_in(text) == 7);
    CHECK_THAT(text, ContainsSubstring("\ngpu[001-200]  warning: hop bastion: the key of "
                                       "203.0.113.1 (SHA256:b) is new\n"));
    CHECK_THAT(text, ContainsSubstring("=ask -p 2222 ops@203.0.113.1\n"));
}

TEST_CASE("a key that was added is told where infos are") {
    const auto report = remarked(idle_node("node1"), RemarkKind::host_key_added,
                                 {.index = 0, .name = "node1"}, "the key of node1 was new");
    CHECK(table_of(fleet_of({report})).find("was new") == std::string::npos);
    CHECK_THAT(table_of(fleet_of({report}), wide),
               ContainsSubstring("\nnode1  info: the key of node1 was new\n"));
}

}  // namespace gpumuster
