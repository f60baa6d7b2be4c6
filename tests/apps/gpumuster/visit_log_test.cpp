#include "apps/gpumuster/visit_log.hpp"

#include "support/catch.hpp"

using namespace gpumuster;
using namespace std::chrono_literals;

namespace {

HostReport node57() {
    HostReport report;
    report.host.name = "node57";
    report.user = "root";
    report.port = 2222;
    report.route.transport = "libssh";
    report.remote_address = "203.0.113.57";
    report.verdict.verdict = Verdict::clean;
    report.timings.add(Stage::resolve, 1ms);
    report.timings.add(Stage::connect, 20ms);
    report.timings.add(Stage::command, 829ms);
    return report;
}

}  // namespace

TEST_CASE("a visit is one line with the time of each stage") {
    CHECK(visit_line(node57()) ==
          "node57: clean in 850 ms, as root@203.0.113.57 port 2222 "
          "(resolve 1 ms, connect 20 ms, command 829 ms)");
}

TEST_CASE("a visit that failed says where and why") {
    HostReport report = node57();
    report.verdict.verdict = Verdict::unreachable;
    report.remote_address.reset();
    report.timings = {};
    report.timings.add(Stage::connect, 3ms);
    HopRef hop;
    hop.name = "node57";
    report.failure = make_failure(FailureKind::connect_refused, hop, "refused \x1b[31m");
    CHECK(visit_line(report) ==
          "node57: unreachable in 3 ms, as root@node57 port 2222 (connect 3 ms); "
          "connect.refused: refused \\x1b[31m");
}

TEST_CASE("a visit says which hops it passed and that the system's ssh went") {
    HostReport report = node57();
    report.timings = {};
    report.route.hops = {"bastion", "b2\x1b"};
    CHECK(visit_line(report) ==
          "node57: clean in 0 ms, as root@203.0.113.57 port 2222 via bastion, b2\\x1b");
    report.route.transport = "openssh";
    report.route.hops.clear();
    CHECK(visit_line(report).ends_with(" port 2222, with the system ssh"));
    report.route.reason = "ProxyCommand in ssh_config";
    report.remote_address.reset();
    report.address = "10.0.0.57";
    CHECK(visit_line(report) ==
          "node57: clean in 0 ms, as root@10.0.0.57 port 2222, "
          "with the system ssh (ProxyCommand in ssh_config)");
}

TEST_CASE("a host that there is no way to has no login") {
    HostReport report;
    report.host.name = "odd";
    report.verdict.verdict = Verdict::unreachable;
    HopRef hop;
    hop.name = "odd";
    report.failure = make_failure(FailureKind::config_refused, hop, "line 3: Bad option");
    CHECK(visit_line(report) == "odd: unreachable in 0 ms; config.refused: line 3: Bad option");
}

TEST_CASE("a visit to this machine names no login") {
    HostReport report = node57();
    report.host.reach = Reach::local;
    report.timings = {};
    CHECK(visit_line(report) == "node57: clean in 0 ms, on this machine");
}

TEST_CASE("the options of a run are one line") {
    std::vector<Host> hosts(2);
    FleetOptions options;
    CHECK(options_line(hosts, options) ==
          "2 hosts, probe full, command timeout 1 min; "
          "where neither a flag nor the inventory says otherwise");
    hosts.resize(1);
    hosts[0].reach = Reach::local;
    options.probe = ProbeLevel::minimal;
    CHECK(options_line(hosts, options) ==
          "1 host, probe minimal, command timeout 1 min; "
          "where neither a flag nor the inventory says otherwise");
}
