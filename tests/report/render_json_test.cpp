#include <algorithm>

#include <nlohmann/json.hpp>

#include "report/samples.hpp"
#include "support/catch.hpp"
#include "support/schema.hpp"

namespace gpumuster {
namespace {

using namespace test;
using nlohmann::json;

json parsed(const FleetReport& report) {
    return json::parse(json_of(report));
}

json host_of(const HostReport& report) {
    return parsed(fleet_of({report}))["hosts"][0];
}

// Two GPUs, the first busy with a known and an unknown process, and one process on neither.
HostReport with_processes() {
    HostReport report = answering("trainer", h100s({74210, 0}));
    HostReadings& readings = *report.readings;
    readings.process_query.outcome = QueryOutcome::answered;
    readings.processes = {
        {readings.gpus[0].uuid, 20417, "python3", 74000},
        {readings.gpus[0].uuid, 391, std::nullopt, std::nullopt},
        {"GPU-of-nobody", 7, "[Not Found]", 12},
        {std::nullopt, 8, "gone", std::nullopt},
    };
    readings.owners = {{20417, "anna", "Sl", 7800, "python3 train.py"}};
    return with_finding(report, Verdict::busy,
                        {"gpu.process", Severity::error, "GPU 0", "used by anna", "ask anna"});
}

// Everything that a host sends or an inventory names, as bytes that are no text.
HostReport hostile() {
    const std::string bytes = "\xff\xc3(\x00\x1b[31m\"\\\u202e\n";
    HostReport report = with_processes();
    report.host.name = bytes;
    report.host.groups = {bytes};
    report.host.settings.labels = {{bytes, bytes}};
    report.host.settings.address = bytes;
    report.host.settings.expect.model = bytes;
    report.host.settings.container = ContainerEntry{.name = bytes};
    report.user = bytes;
    report.route = {"openssh", bytes, {bytes}};
    report.remote_address = bytes;
    report.verdict.findings = {{"test.busy", Severity::error, bytes, bytes, bytes}};
    report.readings->kernel_driver_version = bytes;
    for (GpuReading& gpu : report.readings->gpus) {
        gpu.name = gpu.uuid = gpu.pci_bus_id = gpu.pstate = gpu.driver_version = bytes;
        gpu.missing = {{"memory_total_mib", bytes}};
    }
    for (ProcessReading& process : report.readings->processes) process.name = bytes;
    report.readings->owners = {{20417, bytes, bytes, 1, bytes}};
    return report;
}

HostReport hung_after_facts() {
    HostReport report = answering("node62", {});
    report.readings->gpu_query.outcome = QueryOutcome::timed_out;
    report.readings->kernel_driver_version = "570.86.15";
    report.readings->effective_uid = 0;
    report.readings->initial_pid_namespace = true;
    return with_finding(report, Verdict::hung,
                        {"host.hung", Severity::error, "host", "no answer in 55 s", "reboot"});
}

HostReport without_values() {
    HostReport report = answering("spark", h100s({std::nullopt}));
    GpuReading& gpu = report.readings->gpus[0];
    gpu.memory_total_mib.reset();
    gpu.utilization_percent.reset();
    gpu.missing = {{"memory_total_mib", "[N/A]"},
                   {"memory_used_mib", "[Unknown Error]"},
                   {"utilization_percent", "[Not Supported]"}};
    return report;
}

HostReport remarked() {
    HostReport report = in_container(idle_node("trainer"), "pve1", {.name = "129"});
    report.route = {"openssh", "ProxyCommand in ssh_config", {"bastion", "b2"}};
    const HopRef hop{.index = 1, .name = "bastion"};
    report.remarks = {{RemarkKind::host_key_unverified, hop, "nobody knows the key"}};
    add_remarks(report.verdict, report.remarks);
    return report;
}

HostReport hopped() {
    return failed_at("gpu1", make_failure(FailureKind::hop_forwarding_forbidden,
                                          HopRef{.index = 3, .name = "b3"}, "forwards nothing"));
}

}  // namespace

TEST_CASE("a report is one document with a host on each line") {
    FleetReport report = fleet_of(
        {not_inspected("edge7", FailureKind::hostkey_changed, "changed"), idle_node("node1")});
    report.elapsed = std::chrono::microseconds{1400250};
    const std::string text = json_of(report);
    CHECK(text.starts_with(
        "{\n"
        "  \"schema\": \"gpumuster/report/1\",\n"
        "  \"gpumuster\": \"1.2.3\",\n"
        "  \"started_at\": \"2026-03-01T09:05:00.250Z\",\n"
        "  \"elapsed_ms\": 1400.25,\n"
        "  \"interrupted\": false,\n"
        "  \"out_of_time\": false,\n"
        "  \"notes\": [],\n"
        "  \"summary\": {\"hosts\":2,\"by_verdict\":{\"clean\":1,\"unknown\":0,\"busy\":0,"
        "\"held\":0,\"stale\":0,\"degraded\":0,\"broken\":0,\"hung\":0,\"unreachable\":1},"
        "\"gpus\":8,\"gpus_free\":8,\"exit_status\":2},\n"
        "  \"hosts\": [\n"
        "    {\"name\":\"edge7\",\"verdict\":\"unreachable\","));
    CHECK_THAT(text, ContainsSubstring("},\n    {\"name\":\"node1\",\"verdict\":\"clean\","));
    CHECK(text.ends_with("}\n  ]\n}\n"));
    CHECK(std::ranges::count(text, '\n') == 14);
    CHECK_FALSE(json::parse(text).is_discarded());
}

TEST_CASE("a host says how it was reached and judged") {
    HostReport report = idle_node("node1");
    report.host.settings.address = "192.0.2.7";
    report.host.settings.expect.model = "H100";
    report.host.settings.labels = {{"rack", "r7"}};
    report.host.groups = {"training", "all"};
    report.user = "anna";
    report.port = 10978;
    report.remote_address = "192.0.2.7";
    report.thresholds = {.idle_memory_mib = 200, .idle_utilization_percent = 7};
    report.readings->asked = ProbeLevel::full;
    report.readings->answered = ProbeLevel::minimal;
    report.readings->effective_uid = 1000;
    report.readings->initial_pid_namespace = false;
    report.timings.add(Stage::host_key, std::chrono::microseconds{1250});
    const json host = host_of(report);
    CHECK(host["observed_at"] == "2026-03-01T09:05:00.250Z");
    CHECK(host["address"] == "192.0.2.7");
    CHECK(host["user"] == "anna");
    CHECK(host["port"] == 10978);
    CHECK(host["remote_address"] == "192.0.2.7");
    CHECK(host["route"] ==
          json({{"transport", "libssh"}, {"reason", nullptr}, {"hops", json::array()}}));
    CHECK(host["container"].is_null());
    CHECK(host["groups"] == json({"training", "all"}));
    CHECK(host["labels"] == json({{"rack", "r7"}}));
    CHECK(host["expect"] == json({{"gpus", 8}, {"model", "H100"}}));
    CHECK(host["thresholds"] == json({{"idle_memory_mib", 200}, {"idle_utilization_percent", 7}}));
    CHECK(host["failure"].is_null());
    CHECK(host["findings"] == json::array());
    CHECK(host["probe"] == json({{"asked", "full"}, {"answered", "minimal"}}));
    CHECK(host["driver_version"] == "570.86.15");
    CHECK(host["kernel_driver_version"].is_null());
    CHECK(host["session"] == json({{"effective_uid", 1000}, {"initial_pid_namespace", false}}));
    CHECK(host["timings"] == json({{"connect_ms", 100.0},
                                   {"host_key_ms", 1.25},
                                   {"command_ms", 800.0},
                                   {"total_ms", 901.25}}));
}

TEST_CASE("this machine has no address and no port") {
    HostReport report = idle_node("localhost");
    report.host.reach = Reach::local;
    report.route.transport = "local";
    report.user.clear();
    const json host = host_of(report);
    CHECK(host["route"]["transport"] == "local");
    CHECK(host["address"].is_null());
    CHECK(host["port"].is_null());
    CHECK(host["user"].is_null());
}

TEST_CASE("the way to a host is its hops, its transport with the reason, and its container") {
    HostReport report = in_container(idle_node("trainer"), "pve1", {.name = "129"});
    report.address = "203.0.113.7";
    report.route = {"openssh", "ProxyCommand in ssh_config", {"bastion", "b2"}};
    const json host = host_of(report);
    CHECK(host["address"] == "203.0.113.7");
    CHECK(host["route"] == json({{"transport", "openssh"},
                                 {"reason", "ProxyCommand in ssh_config"},
                                 {"hops", {"bastion", "b2"}}}));
    CHECK(host["container"] == json({{"kind", "pct"}, {"name", "129"}}));

    using Kind = ContainerEntry::Kind;
    report.host.settings.container = ContainerEntry{.kind = Kind::docker, .name = "web"};
    CHECK(host_of(report)["container"] == json({{"kind", "docker"}, {"name", "web"}}));
    report.host.settings.container =
        ContainerEntry{.kind = Kind::exec, .argv = {"podman", "exec", "lab"}};
    CHECK(host_of(report)["container"] == json({{"kind", "exec"}, {"name", "lab"}}));
}

TEST_CASE("a host that there is no way to has every key") {
    const json host = host_of(without_way("odd"));
    for (const char* key : {"address", "user", "port", "remote_address", "container"}) {
        INFO(key);
        REQUIRE(host.contains(key));
        CHECK(host[key].is_null());
    }
    CHECK(host["route"] ==
          json({{"transport", nullptr}, {"reason", nullptr}, {"hops", json::array()}}));
    CHECK(host["failure"]["stage"] == "config");
    const json whole = host_of(idle_node("node1"));
    CHECK(host.size() == whole.size());
}

TEST_CASE("notes about the run stand in the document") {
    FleetReport fleet = fleet_of({idle_node("node1")});
    fleet.notes = {"no ssh on this machine", "two\x1b"};
    CHECK(parsed(fleet)["notes"] == json({"no ssh on this machine", "two\\x1b"}));
}

TEST_CASE("a GPU has numbers without units") {
    const json gpu = host_of(answering("trainer", h100s({1523, 3})))["gpus"][0];
    CHECK(gpu == json({{"index", 0},
                       {"uuid", "GPU-0"},
                       {"name", "NVIDIA H100 80GB HBM3"},
                       {"pci_bus_id", "00000000:00:00.0"},
                       {"verdict", "busy"},
                       {"memory_used_mib", 1523},
                       {"memory_total_mib", 81559},
                       {"utilization_percent", 0},
                       {"temperature_celsius", 34},
                       {"pstate", "P0"},
                       {"missing", json::object()},
                       {"processes", json::array()}}));
}

TEST_CASE("a value that is missing is null, with what stood in its place") {
    const json gpu = host_of(without_values())["gpus"][0];
    CHECK(gpu["memory_used_mib"].is_null());
    CHECK(gpu["memory_total_mib"].is_null());
    CHECK(gpu["utilization_percent"].is_null());
    CHECK(gpu["temperature_celsius"] == 34);
    CHECK(gpu["missing"] == json({{"memory_total_mib", "[N/A]"},
                                  {"memory_used_mib", "[Unknown Error]"},
                                  {"utilization_percent", "[Not Supported]"}}));
}

TEST_CASE("processes stand with their GPU, with what is known of their owner") {
    const json host = host_of(with_processes());
    const json first = {
        {"pid", 20417},  {"name", "python3"},   {"memory_used_mib", 74000},     {"user", "anna"},
        {"state", "Sl"}, {"age_seconds", 7800}, {"command", "python3 train.py"}};
    const json second = {{"pid", 391},        {"name", nullptr},  {"memory_used_mib", nullptr},
                         {"user", nullptr},   {"state", nullptr}, {"age_seconds", nullptr},
                         {"command", nullptr}};
    CHECK(host["gpus"][0]["processes"] == json({first, second}));
    CHECK(host["gpus"][1]["processes"] == json::array());
    REQUIRE(host["processes_unplaced"].size() == 2);
    CHECK(host["processes_unplaced"][0]["pid"] == 7);
    CHECK(host["processes_unplaced"][1]["pid"] == 8);
}

TEST_CASE("a process without a GPU is not placed on a GPU without a uuid") {
    HostReport report = with_processes();
    report.readings->gpus[1].uuid.reset();
    const json host = host_of(report);
    CHECK(host["gpus"][1]["processes"] == json::array());
    CHECK(host["processes_unplaced"].size() == 2);
}

TEST_CASE("a host that was not inspected says at which stage and why") {
    HostReport report = not_inspected("node1", FailureKind::hostkey_unknown, "the key is new");
    report.failure->hop.index = 2;
    report.failure->hop.name = "bastion";
    const json host = host_of(report);
    CHECK(host["verdict"] == "unreachable");
    CHECK(host["failure"] ==
          json({{"stage", "host-key"},
                {"hop", {{"index", 2}, {"name", "bastion"}}},
                {"kind", "hostkey.unknown"},
                {"message", "the key is new"},
                {"next_step", "compare the fingerprint with the host's own, then: ssh node1"}}));
    CHECK(host["findings"][0]["code"] == "hostkey.unknown");
    CHECK(host["findings"][0]["severity"] == "error");
    CHECK(host["gpus"] == json::array());
    CHECK(host["probe"] == json({{"asked", nullptr}, {"answered", nullptr}}));
    CHECK(host["driver_version"].is_null());
}

TEST_CASE("a host that was never visited was not observed") {
    HostReport report = not_inspected("node1", FailureKind::run_interrupted, "interrupted");
    report.observed_at = {};
    report.timings = {};
    FleetReport fleet = fleet_of({report});
    fleet.interrupted = true;
    const json document = parsed(fleet);
    CHECK(document["hosts"][0]["observed_at"].is_null());
    CHECK(document["hosts"][0]["timings"] == json({{"total_ms", 0.0}}));
    CHECK(document["interrupted"] == true);
    CHECK(document["summary"]["exit_status"] == 130);
}

TEST_CASE("bytes that are no text come out as valid JSON, visibly") {
    const std::string text = json_of(fleet_of({hostile()}));
    CHECK(text.find('\xff') == std::string::npos);
    CHECK(text.find("\\u001b") == std::string::npos);
    CHECK(text.find("\u202e") == std::string::npos);
    const json host = json::parse(text)["hosts"][0];
    CHECK(host["name"] == "\\xff\\xc3(");
    CHECK(host["gpus"][0]["name"] == host["name"]);
}

TEST_CASE("the fleet is written host by host") {
    struct Measuring : Sink {
        void write(std::string_view bytes) override { longest = std::max(longest, bytes.size()); }
        std::size_t longest = 0;
    };
    std::vector<HostReport> hosts(50, idle_node("node1"));
    Measuring one, fifty;
    render_json(fleet_of({hosts.front()}), "1.2.3", one);
    render_json(fleet_of(hosts), "1.2.3", fifty);
    CHECK(one.longest > 1000);
    CHECK(fifty.longest == one.longest);
}

TEST_CASE("reports hold to the published schema") {
    if (schema_validator_missing()) return;
    HostReport local = idle_node("localhost");
    local.host.reach = Reach::local;
    local.route.transport = "local";
    HostReport waiting = not_inspected("node9", FailureKind::run_out_of_time, "out of time");
    waiting.observed_at = {};
    FleetReport fleet =
        fleet_of({idle_node("node1"), with_processes(), hung_after_facts(), without_values(),
                  hostile(), local, waiting, without_way("odd"), remarked(), hopped()});
    fleet.out_of_time = true;
    fleet.notes = {"no ssh on this machine: ssh_config is not read"};
    for (std::size_t i = 0; i < failure_kind_count; ++i) {
        fleet.hosts.push_back(not_inspected("edge", static_cast<FailureKind>(i), "message"));
    }
    CHECK(report_schema_violations(json_of(fleet)) == "");
    CHECK(report_schema_violations(json_of(fleet_of({}))) == "");
}

TEST_CASE("the published schema refuses what tools could not rely on") {
    if (schema_validator_missing()) return;
    const json good = parsed(
        fleet_of({with_processes(), not_inspected("edge7", FailureKind::auth_denied, "denied")}));
    const auto refused = [&](const std::string& place, const json& value) {
        json document = good;
        document[json::json_pointer(place)] = value;
        INFO(place << " = " << value);
        CHECK(report_schema_violations(document.dump()) != "");
    };
    REQUIRE(report_schema_violations(good.dump()) == "");
    refused("/schema", "gpumuster/report/2");
    refused("/started_at", "2026-03-01 09:05:00");
    refused("/summary/exit_status", 3);
    refused("/summary/by_verdict/Clean", 1);
    refused("/notes", nullptr);
    refused("/hosts/0/route/transport", "ssh");
    refused("/hosts/0/route/hops", json::array({{{"index", 1}, {"name", "bastion"}}}));
    refused("/hosts/0/container", json({{"kind", "lxc"}, {"name", "129"}}));
    refused("/hosts/0/verdict", "Busy");
    refused("/hosts/0/findings/0/severity", "fatal");
    refused("/hosts/0/findings/0/next_step", nullptr);
    refused("/hosts/0/gpus/0/verdict", "unreachable");
    refused("/hosts/0/gpus/0/memory_used_mib", "1523 MiB");
    refused("/hosts/0/gpus/0/processes/0/pid", "20417");
    refused("/hosts/0/timings/connect", 0.1);
    refused("/hosts/1/failure/stage", "host_key");
    refused("/hosts/1/verdict", "clean");
}

TEST_CASE("the published schema asks for every key") {
    if (schema_validator_missing()) return;
    const json good = parsed(fleet_of({with_processes()}));
    const auto without = [&](const std::string& place, const std::string& key) {
        json document = good;
        document[json::json_pointer(place)].erase(key);
        INFO(place << " without " << key);
        CHECK(report_schema_violations(document.dump()) != "");
    };
    without("", "summary");
    without("/summary/by_verdict", "stale");
    without("", "notes");
    without("/hosts/0/route", "reason");
    without("/hosts/0", "container");
    without("/hosts/0", "failure");
    without("/hosts/0", "observed_at");
    without("/hosts/0/gpus/1", "memory_used_mib");
    without("/hosts/0/gpus/1", "missing");
    without("/hosts/0/findings/0", "code");
    without("/hosts/0/timings", "total_ms");
}

}  // namespace gpumuster
