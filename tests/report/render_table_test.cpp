#include <algorithm>

#include "report/samples.hpp"
#include "support/catch.hpp"

namespace gpumuster {
namespace {

using namespace test;

constexpr TableStyle wide{.colour = Colour::off, .width = TableWidth::wide};

HostReport trainer() {
    return with_finding(
        answering("trainer", h100s({1523, 3, 3, 3, 3, 3, 3, 3})), Verdict::busy,
        {"test.busy", Severity::error, "GPU 0", "used by pid 20417 python3 of root, for 2 h 10 min",
         "end pid 20417, then: gpumuster trainer"});
}

HostReport seven_of_eight(const std::string& name) {
    HostReport report = answering(name, h100s({0, 0, 0, 0, 0, 0, 2}));
    report.host.settings.expect.gpus = 8;
    return with_finding(report, Verdict::degraded,
                        {"test.count", Severity::error, "host", "expected 8 GPUs, 7 answer",
                         "look for Xid 79 in the kernel log"});
}

HostReport hung(const std::string& name) {
    HostReport report = answering(name, {});
    report.readings->gpu_query.outcome = QueryOutcome::timed_out;
    return with_finding(report, Verdict::hung,
                        {"test.hung", Severity::error, "host", "nvidia-smi did not answer in 55 s",
                         "reboot the host"});
}

std::string numbered(const std::string& prefix, int number) {
    return prefix + (number < 10 ? "00" : number < 100 ? "0" : "") + std::to_string(number);
}

std::size_t lines_in(const std::string& text) {
    return static_cast<std::size_t>(std::ranges::count(text, '\n'));
}

}  // namespace

TEST_CASE("one clean host is one line") {
    HostReport report = answering("root@203.0.113.7:10978", h100s({2, 2, 2, 2, 2, 2, 2, 2}));
    CHECK(table_of(fleet_of({report})) ==
          "clean   root@203.0.113.7:10978   8 × H100 80GB HBM3, all idle (2 MiB each)   "
          "driver 570.86.15   900 ms\n");
}

TEST_CASE("one clean host in other shapes") {
    const auto line_of = [](const HostReport& report) { return table_of(fleet_of({report})); };
    SECTION("memory differs") {
        CHECK(
            line_of(answering("gpu1", h100s({0, 2}))) ==
            "clean   gpu1   2 × H100 80GB HBM3, all idle (0–2 MiB)   driver 570.86.15   900 ms\n");
    }
    SECTION("one GPU") {
        CHECK(line_of(answering("gpu1", h100s({2}))) ==
              "clean   gpu1   1 × H100 80GB HBM3, idle (2 MiB)   driver 570.86.15   900 ms\n");
    }
    SECTION("two models") {
        auto gpus = h100s({0, 0});
        gpus[1].name = "NVIDIA A100-PCIE-40GB";
        CHECK(
            line_of(answering("gpu1", gpus)) ==
            "clean   gpu1   2 GPUs, 2 models, all idle (0 MiB each)   driver 570.86.15   900 ms\n");
    }
    SECTION("the minimal query knows neither model nor driver") {
        auto gpus = h100s({0, 0});
        for (GpuReading& gpu : gpus) gpu = {.index = gpu.index, .memory_used_mib = 0};
        CHECK(line_of(answering("gpu1", gpus)) ==
              "clean   gpu1   2 GPUs, all idle (0 MiB each)   900 ms\n");
    }
    SECTION("a board with unified memory gives no number") {
        CHECK(line_of(answering("gpu1", h100s({std::nullopt}))) ==
              "clean   gpu1   1 × H100 80GB HBM3, idle (memory not known)   driver 570.86.15   "
              "900 ms\n");
    }
    SECTION("no GPU is there and none is expected") {
        CHECK(line_of(answering("gpu1", {})) == "clean   gpu1   no GPUs   900 ms\n");
    }
}

TEST_CASE("one host that is not clean is one line and its findings") {
    SECTION("busy") {
        CHECK(table_of(fleet_of({trainer()})) ==
              "busy   trainer   8 × H100 80GB HBM3, 7 free (0: 1523 · 1–7: 3 MiB)   "
              "driver 570.86.15   900 ms\n"
              "\n"
              "GPU 0: used by pid 20417 python3 of root, for 2 h 10 min\n"
              "→ end pid 20417, then: gpumuster trainer\n");
    }
    SECTION("fewer GPUs than expected") {
        CHECK(table_of(fleet_of({seven_of_eight("node57")})) ==
              "degraded   node57   7 of 8 × H100 80GB HBM3, all idle (0–2 MiB)   "
              "driver 570.86.15   900 ms\n"
              "\n"
              "expected 8 GPUs, 7 answer\n"
              "→ look for Xid 79 in the kernel log\n");
    }
    SECTION("not reached") {
        CHECK(table_of(fleet_of({not_inspected("edge7", FailureKind::connect_timeout,
                                               "no answer from 192.0.2.7:22 within 10 s")})) ==
              "unreachable   edge7   connection timed out   200 ms\n"
              "\n"
              "no answer from 192.0.2.7:22 within 10 s\n"
              "→ the host is down or a firewall drops the port: ping edge7\n");
    }
}

TEST_CASE("a warning of a clean host is shown, an info is not") {
    HostReport report = answering("gpu1", h100s({2}));
    report.verdict.findings = {{"test.slow", Severity::warning, "host", "the answer took 25 s",
                                "switch persistence mode on"},
                               {"test.note", Severity::info, "GPU 0", "drives a display", ""}};
    const std::string text = table_of(fleet_of({report}));
    CHECK_THAT(text, ContainsSubstring("\n\nwarning: the answer took 25 s\n"
                                       "→ switch persistence mode on\n"));
    CHECK(text.find("display") == std::string::npos);
    CHECK_THAT(table_of(fleet_of({report}), wide),
               ContainsSubstring("gpu1  info: GPU 0: drives a display\n"));
}

TEST_CASE("a mixed fleet is read by difference") {
    std::vector<HostReport> hosts;
    for (int i = 1; i <= 60; ++i) {
        const std::string name = numbered("node", i).replace(4, 1, "");
        if (i == 57) {
            hosts.push_back(seven_of_eight(name));
            continue;
        }
        hosts.push_back(idle_node(name));
        hosts.back().timings.add(Stage::auth, std::chrono::milliseconds(i * 5));
    }
    hosts.push_back(trainer());
    hosts.push_back(hung("node62"));
    hosts.push_back(not_inspected("edge7", FailureKind::hostkey_changed,
                                  "the key of edge7 is not the one in known_hosts line 41"));
    CHECK(
        table_of(fleet_of(hosts)) ==
        R"(HOST               VERDICT      GPUS  MEMORY USED (MiB)  MODEL           DRIVER     TIME
node[01-56,58-60]  clean        8/8   0–2                H100 80GB HBM3  570.86.15  0.9–1.2 s
node57             degraded     7/8   0–2                H100 80GB HBM3  570.86.15  900 ms
trainer            busy         8     0: 1523 · 1–7: 3   H100 80GB HBM3  570.86.15  900 ms
node62             hung         –     nvidia-smi did not answer in 55 s             900 ms
edge7              unreachable  –     host key changed                              200 ms

node57   expected 8 GPUs, 7 answer
         → look for Xid 79 in the kernel log
trainer  GPU 0: used by pid 20417 python3 of root, for 2 h 10 min
         → end pid 20417, then: gpumuster trainer
node62   nvidia-smi did not answer in 55 s
         → reboot the host
edge7    the key of edge7 is not the one in known_hosts line 41
         → if the host was reinstalled: ssh-keygen -R edge7 && ssh edge7

59 of 63 hosts clean · 1 busy · 1 degraded · 1 hung · 1 unreachable · 486 of 487 GPUs free · 1.4 s
)");
}

TEST_CASE("clean hosts are one row only when they say the same") {
    HostReport other_driver = idle_node("node2");
    for (GpuReading& gpu : other_driver.readings->gpus) gpu.driver_version = "580.95.05";
    HostReport no_value = answering("node3", h100s({0, std::nullopt}));
    CHECK(table_of(fleet_of({idle_node("node1"), other_driver, no_value, idle_node("node4"),
                             idle_node("login"), idle_node("node5")})) ==
          R"(HOST         VERDICT  GPUS  MEMORY USED (MiB)  MODEL           DRIVER     TIME
node[1,4-5]  clean    8/8   0–2                H100 80GB HBM3  570.86.15  900 ms
node2        clean    8/8   0–2                H100 80GB HBM3  580.95.05  900 ms
node3        clean    2     0: 0 · 1: ?        H100 80GB HBM3  570.86.15  900 ms
login        clean    8/8   0–2                H100 80GB HBM3  570.86.15  900 ms

6 of 6 hosts clean · 42 of 42 GPUs free · 1.4 s
)");
}

TEST_CASE("hosts that are not clean keep a row each, unless none of them was inspected") {
    const Finding used{"test.busy", Severity::error, "GPU 0", "used by pid 1 of anna", "ask anna"};
    const auto busy = with_finding(answering("node1", h100s({1523, 3})), Verdict::busy, used);
    const auto busy_too = with_finding(answering("node2", h100s({1523, 3})), Verdict::busy, used);
    std::vector<HostReport> hosts{busy, busy_too};
    for (int i = 10; i < 30; ++i) {
        hosts.push_back(not_inspected("rack" + std::to_string(i), FailureKind::connect_timeout,
                                      "no answer within 10 s"));
    }
    hosts.push_back(not_inspected("rack30", FailureKind::auth_denied, "no key was accepted"));
    CHECK(table_of(fleet_of(hosts)) ==
          R"(HOST         VERDICT      GPUS  MEMORY USED (MiB)  MODEL           DRIVER     TIME
node1        busy         2     0: 1523 · 1: 3     H100 80GB HBM3  570.86.15  900 ms
node2        busy         2     0: 1523 · 1: 3     H100 80GB HBM3  570.86.15  900 ms
rack[10-29]  unreachable  –     connection timed out                          200 ms
rack30       unreachable  –     login denied                                  200 ms

node[1-2]    GPU 0: used by pid 1 of anna
             → ask anna
rack[10-29]  no answer within 10 s
             → the host is down or a firewall drops the port: ping HOST
rack30       no key was accepted
             → check the user and the key: ssh-copy-id rack30

0 of 23 hosts clean · 2 busy · 21 unreachable · 2 of 4 GPUs free · 1.4 s
)");
}

TEST_CASE("five hundred hosts that agree fit in a few lines") {
    std::vector<HostReport> hosts;
    for (int i = 1; i <= 500; ++i) {
        hosts.push_back(i % 100 == 7 ? seven_of_eight(numbered("node", i))
                                     : idle_node(numbered("node", i)));
    }
    const std::string text = table_of(fleet_of(hosts));
    CHECK(lines_in(text) <= 14);
    CHECK_THAT(text, ContainsSubstring("node[001-006,008-106,108-206,208-306,308-406]  clean"));
    CHECK_THAT(text, ContainsSubstring("\nnode[007,107,207,307,407]  expected 8 GPUs, 7 answer\n"));
}

TEST_CASE("an interrupted run says so, and ten thousand waiting hosts are one line") {
    std::vector<HostReport> hosts{idle_node("login")};
    for (int i = 10'000; i < 20'000; ++i) {
        HostReport report = not_inspected("node" + std::to_string(i), FailureKind::run_interrupted,
                                          "the run was interrupted");
        report.timings = {};
        hosts.push_back(report);
    }
    FleetReport report = fleet_of(hosts);
    report.interrupted = true;
    CHECK(
        table_of(report) ==
        R"(HOST               VERDICT      GPUS  MEMORY USED (MiB)  MODEL           DRIVER     TIME
login              clean        8/8   0–2                H100 80GB HBM3  570.86.15  900 ms
node[10000-19999]  unreachable  –     not inspected: interrupted                    –

node[10000-19999]  the run was interrupted
                   → run it again for this host

1 of 10001 hosts clean · 10000 unreachable · 8 of 8 GPUs free · interrupted after 1.4 s
)");
    report.interrupted = false;
    report.out_of_time = true;
    CHECK_THAT(table_of(report), ContainsSubstring(" · out of time after 1.4 s\n"));
}

TEST_CASE("errors stand before warnings, and a step that is said twice is said once") {
    HostReport report = answering("gpu1", h100s({5000, 0, 5000}));
    report.verdict.findings = {
        {"test.held", Severity::error, "GPU 0", "held", "look as root"},
        {"test.held", Severity::error, "GPU 2", "held", "look as root"},
        {"test.slow", Severity::warning, "host", "slow", ""},
    };
    HostReport warned = idle_node("gpu0");
    warned.verdict.findings = {{"test.slow", Severity::warning, "host", "slow", ""}};
    CHECK_THAT(table_of(fleet_of({warned, report})), ContainsSubstring("\n\n"
                                                                       "gpu1      GPU 0: held\n"
                                                                       "gpu1      GPU 2: held\n"
                                                                       "          → look as root\n"
                                                                       "gpu[0-1]  warning: slow\n"
                                                                       "\n"));
}

TEST_CASE("findings of hosts with scattered names wrap beside their text") {
    std::vector<HostReport> hosts;
    for (const char* name : {"alpha-login-server", "beta-login-server", "gamma-login-server"}) {
        hosts.push_back(not_inspected(name, FailureKind::connect_refused, "connection refused"));
    }
    CHECK_THAT(table_of(fleet_of(hosts)),
               ContainsSubstring(
                   "\n\n"
                   "alpha-login-server,beta-login-server  connection refused\n"
                   "gamma-login-server                    → no sshd listens there: check the port, "
                   "or start sshd on the host\n"
                   "\n"));
}

TEST_CASE("words of the catalogue stand in the row of a host without facts") {
    HostReport stuck = answering("gpu1", {});
    stuck.readings->gpu_query.outcome = QueryOutcome::not_asked;
    stuck = with_finding(stuck, Verdict::hung,
                         {"host.query_stuck", Severity::error, "host", "the evidence", "reboot"});
    HostReport mixed = answering("gpu2", {});
    mixed.readings->gpu_query.outcome = QueryOutcome::failed;
    mixed.verdict.findings = {{"host.query_failed", Severity::error, "host", "something", ""}};
    mixed = with_finding(mixed, Verdict::broken,
                         {"host.driver_not_loaded", Severity::error, "host", "rc 9", "modprobe"});
    const std::string text = table_of(fleet_of({stuck, mixed}));
    CHECK_THAT(text, ContainsSubstring("\ngpu1  hung     –     "
                                       "an older nvidia-smi is stuck in the driver  900 ms\n"));
    CHECK_THAT(text, ContainsSubstring("\ngpu2  broken   –     no kernel driver answers "));
    CHECK_THAT(text, ContainsSubstring("\ngpu1  the evidence\n      → reboot\n"));
}

TEST_CASE("wide is a row per GPU, and one for the host where its verdict is its own") {
    HostReport missing = answering("计算1", h100s({std::nullopt}));
    missing.readings->gpus[0] = {.index = 11};
    missing.verdict = {Verdict::unknown, {}, {{11, Verdict::unknown}}};
    HostReport two = answering("node2", h100s({1523, 3}));
    two.readings->gpus[0].utilization_percent = 97;
    two.readings->gpus[0].temperature_celsius = 104;
    HostReport fewer = answering("node57", h100s({0}));
    fewer = with_finding(fewer, Verdict::degraded,
                         {"test.count", Severity::error, "host", "expected 2 GPUs, 1 answers", ""});
    CHECK(
        table_of(fleet_of({two, fewer, missing, hung("node62")}), wide) ==
        R"(HOST    GPU  VERDICT   MEMORY (MiB)  UTIL    TEMP  PSTATE  MODEL           BUS-ID            UUID
node2     0  busy        1523/81559  97 %  104 °C  P0      H100 80GB HBM3  00000000:00:00.0  GPU-0
node2     1  clean          3/81559   0 %   34 °C  P0      H100 80GB HBM3  00000000:01:00.0  GPU-1
node57    –  degraded  expected 2 GPUs, 1 answers
node57    0  clean          0/81559   0 %   34 °C  P0      H100 80GB HBM3  00000000:00:00.0  GPU-0
计算1    11  unknown            ?/?     ?       ?  ?       ?               ?                 ?
node62    –  hung      nvidia-smi did not answer in 55 s

node57  expected 2 GPUs, 1 answers
node62  nvidia-smi did not answer in 55 s
        → reboot the host

0 of 4 hosts clean · 1 unknown · 1 busy · 1 degraded · 1 hung · 2 of 4 GPUs free · 1.4 s
)");
}

TEST_CASE("colour is only added to the text") {
    const FleetReport report =
        fleet_of({idle_node("node1"), trainer(), hung("node62"), seven_of_eight("node57")});
    const auto width = GENERATE(TableWidth::compact, TableWidth::wide);
    const std::string plain = table_of(report, {Colour::off, width});
    std::string coloured = table_of(report, {Colour::on, width});
    CHECK(plain.find('\x1b') == std::string::npos);
    CHECK_THAT(coloured, ContainsSubstring("\x1b[32mclean\x1b[0m"));
    CHECK_THAT(coloured, ContainsSubstring("\x1b[33mbusy\x1b[0m"));
    CHECK_THAT(coloured, ContainsSubstring("\x1b[31mhung\x1b[0m"));
    for (const std::string code : {"\x1b[31m", "\x1b[32m", "\x1b[33m", "\x1b[0m"}) {
        for (auto at = coloured.find(code); at != std::string::npos; at = coloured.find(code)) {
            coloured.erase(at, code.size());
        }
    }
    CHECK(coloured == plain);
}

TEST_CASE("bytes from a host cannot reach the terminal") {
    const std::string hostile = "\x1b]0;owned\x07 \xff\xfe\nclean\u202e";
    HostReport report = answering(hostile, h100s({1523, 0}));
    for (GpuReading& gpu : report.readings->gpus) {
        gpu.name = hostile;
        gpu.uuid = gpu.pci_bus_id = gpu.pstate = gpu.driver_version = hostile;
    }
    report = with_finding(report, Verdict::busy,
                          {"test.busy", Severity::error, hostile, hostile, hostile});
    HostReport other = not_inspected(hostile, FailureKind::auth_denied, hostile);
    const auto width = GENERATE(TableWidth::compact, TableWidth::wide);
    const auto hosts = GENERATE(1, 2);
    const FleetReport fleet = hosts == 1 ? fleet_of({report}) : fleet_of({report, other});
    const std::string text = table_of(fleet, {Colour::off, width});
    for (const char c : text) {
        const bool is_control = static_cast<unsigned char>(c) < 0x20 || c == '\x7f';
        CHECK((!is_control || c == '\n'));
    }
    CHECK(text.find("\u202e") == std::string::npos);
    CHECK(text.find('\xff') == std::string::npos);
    CHECK(text.find("\nclean") == std::string::npos);
    CHECK_THAT(text, ContainsSubstring("\\x1b]0;owned\\x07 \\xff\\xfe clean\\u{202e}"));
}

TEST_CASE("a report without hosts is a summary") {
    const auto width = GENERATE(TableWidth::compact, TableWidth::wide);
    CHECK(table_of(fleet_of({}), {Colour::off, width}) == "no hosts seen · no GPUs seen · 1.4 s\n");
}

}  // namespace gpumuster
