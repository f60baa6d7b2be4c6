// gpumuster as a person runs it, against real OpenSSH servers on loopback. Only the GPUs are
// played.

#include <nlohmann/json.hpp>

#include <chrono>
#include <map>

#include "support/catch.hpp"
#include "support/components.hpp"
#include "support/listener.hpp"
#include "support/sshd.hpp"

using namespace gpumuster::test;
using nlohmann::json;

namespace {

// One client with its key, known_hosts and inventory, and the servers it knows.
class Lab {
public:
    Lab() : key_(make_client_key(folder_, "key")) {}

    Sshd& add(const std::string& name, SshdOptions options) {
        if (options.authorized_key.empty()) options.authorized_key = key_.public_line;
        Sshd& sshd = *servers_.emplace(name, std::make_unique<Sshd>(options)).first->second;
        add_host(name, sshd.port());
        known_hosts_ += sshd.known_hosts_line() + "\n";
        return sshd;
    }
    void add_host(const std::string& name, int port, const std::string& address = "127.0.0.1") {
        hosts_ +=
            "  " + name + ": {address: " + address + ", port: " + std::to_string(port) + "}\n";
    }
    void know_instead(const std::string& known_hosts) { known_hosts_ = known_hosts; }
    const std::string& known_hosts() const { return known_hosts_; }

    ProgramResult run(const std::vector<std::string>& arguments) const {
        const std::string known_hosts = folder_.write("known_hosts", known_hosts_);
        const std::string inventory = folder_.write(
            "fleet.yaml", "defaults:\n  user: " + current_user() + "\n  identity: " + key_.path +
                              "\n  known_hosts: " + known_hosts + "\nhosts:\n" + hosts_);
        ProgramOrder order;
        order.argv = {gpumuster_program(), "-i", inventory};
        order.argv.insert(order.argv.end(), arguments.begin(), arguments.end());
        order.environment["HOME"] = folder_.path();
        return run_program(order);
    }
    json report(std::vector<std::string> arguments = {}) const {
        arguments.insert(arguments.end(), {"-o", "json"});
        return json::parse(run(arguments).out);
    }

private:
    TempDir folder_;
    ClientKey key_;
    std::map<std::string, std::unique_ptr<Sshd>> servers_;
    std::string hosts_;
    std::string known_hosts_;
};

bool components_missing() {
    return component_missing("sshd") || component_missing("ssh-keygen");
}

SshdOptions with_smi(const FakeSmi& smi) {
    SshdOptions options;
    options.smi = smi;
    return options;
}

const json& host_named(const json& report, const std::string& name) {
    for (const json& host : report.at("hosts")) {
        if (host.at("name") == name) return host;
    }
    throw std::runtime_error("no host " + name);
}

std::vector<std::string> codes_of(const json& host) {
    std::vector<std::string> codes;
    for (const json& finding : host.at("findings")) codes.push_back(finding.at("code"));
    return codes;
}

const std::vector<int> idle(8, 2);

}  // namespace

TEST_CASE("eight idle GPUs behind a real sshd are clean, in one line, with status 0") {
    if (components_missing()) return;
    Lab lab;
    lab.add("node", with_smi(FakeSmi::with_memory(idle)));
    const ProgramResult result = lab.run({});
    INFO(result.out << result.err);
    CHECK(result.status == 0);
    CHECK(result.err.empty());
    CHECK(result.out.starts_with("clean "));
    CHECK(std::count(result.out.begin(), result.out.end(), '\n') == 1);
    CHECK_THAT(result.out, ContainsSubstring("8 × RTX PRO 6000 Blackwell Server Edition"));
    CHECK_THAT(result.out, ContainsSubstring("2 MiB each"));
}

TEST_CASE("1523 MiB that nobody owns up to is not clean, and GPU 0 is named") {
    if (components_missing()) return;
    Lab lab;
    lab.add("node", with_smi(FakeSmi::with_memory({1523, 3, 3, 3, 3, 3, 3, 3})));
    const json report = lab.report();
    const json& host = report.at("hosts").at(0);
    CHECK(host.at("verdict") == "held");
    CHECK(host.at("gpus").at(0).at("verdict") == "held");
    CHECK(host.at("gpus").at(0).at("memory_used_mib") == 1523);
    for (std::size_t i = 1; i < 8; ++i) CHECK(host.at("gpus").at(i).at("verdict") == "clean");
    CHECK(host.at("findings").at(0).at("subject") == "GPU 0");
    const ProgramResult table = lab.run({});
    CHECK(table.status == 1);
    CHECK_THAT(table.out, ContainsSubstring("GPU 0"));
    CHECK_THAT(table.out, ContainsSubstring("1523 MiB"));
}

TEST_CASE("the plain query says clean, and that health was not read") {
    if (components_missing()) return;
    Lab lab;
    lab.add("node", with_smi(FakeSmi::with_memory(std::vector<int>(8, 0))));
    const json report = lab.report({"--probe", "minimal"});
    const json& host = report.at("hosts").at(0);
    CHECK(host.at("verdict") == "clean");
    CHECK(codes_of(host) == std::vector<std::string>{"health.not_read"});
    CHECK(host.at("gpus").size() == 8);
    CHECK(host.at("gpus").at(0).at("uuid").is_null());
}

TEST_CASE("a driver that refuses a field is asked for less, and health stays unknown") {
    if (components_missing()) return;
    FakeSmi smi = FakeSmi::with_memory(idle);
    smi.full = SmiAnswer();
    smi.full.out = "Field \"pstate\" is not a valid field to query.\n\n";
    smi.full.exit_status = 2;
    Lab lab;
    lab.add("old", with_smi(smi));
    const json report = lab.report();
    const json& host = report.at("hosts").at(0);
    CHECK(host.at("verdict") == "unknown");
    CHECK(host.at("gpus").size() == 8);
    CHECK(lab.run({}).status == 2);
}

TEST_CASE("eight real servers in different states get the right verdicts in one run") {
    if (components_missing()) return;
    Lab lab;
    lab.add("clean", with_smi(FakeSmi::with_memory(idle)));
    lab.add("zeros", with_smi(FakeSmi::with_memory(std::vector<int>(8, 0))));
    lab.add("held", with_smi(FakeSmi::with_memory({1523, 3, 3, 3, 3, 3, 3, 3})));
    FakeSmi hanging;
    hanging.full.hangs = true;
    lab.add("hung", with_smi(hanging));
    FakeSmi mismatch;
    mismatch.full.out =
        "Failed to initialize NVML: Driver/library version mismatch\nNVML library version: "
        "535.161\n";
    mismatch.full.exit_status = 18;
    lab.add("mismatch", with_smi(mismatch));
    lab.add("no-tool", SshdOptions());
    SshdOptions stranger = with_smi(FakeSmi::with_memory(idle));
    stranger.authorized_key = "# nobody";
    lab.add("refused-key", stranger);
    const std::string known = lab.known_hosts();
    Sshd& unknown = lab.add("unknown-key", with_smi(FakeSmi::with_memory(idle)));
    Sshd& changed = lab.add("changed-key", with_smi(FakeSmi::with_memory(idle)));
    const std::string wrong_key =
        unknown.known_hosts_line().substr(unknown.known_hosts_line().find(' '));
    lab.know_instead(known + "[127.0.0.1]:" + std::to_string(changed.port()) + wrong_key + "\n");
    const Listener dead = refuse_on_loopback();
    lab.add_host("dead-port", dead.port);
    lab.add_host("no-name", 22, "no-such-host.invalid");

    const auto started = std::chrono::steady_clock::now();
    const json report = lab.report({"--command-timeout", "8s"});
    const auto elapsed = std::chrono::steady_clock::now() - started;

    const std::map<std::string, std::string> expected{{"clean", "clean"},
                                                      {"zeros", "clean"},
                                                      {"held", "held"},
                                                      {"hung", "hung"},
                                                      {"mismatch", "broken"},
                                                      {"no-tool", "broken"},
                                                      {"refused-key", "unreachable"},
                                                      {"unknown-key", "unreachable"},
                                                      {"changed-key", "unreachable"},
                                                      {"dead-port", "unreachable"},
                                                      {"no-name", "unreachable"}};
    CHECK(report.at("hosts").size() == expected.size());
    for (const auto& [name, verdict] : expected) {
        INFO(name << ": " << host_named(report, name).dump());
        CHECK(host_named(report, name).at("verdict") == verdict);
    }
    const auto kind = [&](const std::string& name) {
        return host_named(report, name).at("failure").at("kind").get<std::string>();
    };
    CHECK(kind("refused-key") == "auth.denied");
    CHECK(kind("unknown-key") == "hostkey.unknown");
    CHECK(kind("changed-key") == "hostkey.changed");
    CHECK(kind("dead-port") == "connect.refused");
    CHECK(host_named(report, "no-name").at("failure").at("stage") == "resolve");
    CHECK(report.at("summary").at("hosts") == 11);
    CHECK(report.at("summary").at("by_verdict").at("clean") == 2);
    // No longer than the slowest deadline: the others did not wait for the one that hangs.
    CHECK(elapsed < std::chrono::seconds(20));
}

TEST_CASE("a hung query is cut within its deadline and leaves nothing running on the host") {
    if (components_missing()) return;
    FakeSmi hanging;
    hanging.full.out = "0, GPU-4f0e5a1c";
    hanging.full.hangs = true;
    Lab lab;
    lab.add("hung", with_smi(hanging));
    const json report = lab.report({"--command-timeout", "2s"});
    const json& host = report.at("hosts").at(0);
    CHECK(host.at("verdict") == "hung");
    CHECK(host.at("gpus").empty());
    // The facts that came before the driver was asked are kept.
    CHECK(host.at("session").at("effective_uid").is_number());
    CHECK(lab.run({"--command-timeout", "2s"}).status == 1);
}

TEST_CASE("a host that is missing GPUs is held against what the inventory expects") {
    if (components_missing()) return;
    Lab lab;
    lab.add("node", with_smi(FakeSmi::with_memory({2, 2, 2, 2, 2, 2, 2})));
    const json report = lab.report({"--expect-gpus", "8"});
    const json& host = report.at("hosts").at(0);
    CHECK(host.at("verdict") == "degraded");
    CHECK(codes_of(host).at(0) == "host.gpu_count");
}

TEST_CASE("a forced command that never runs our script still answers the plain query") {
    if (components_missing()) return;
    SshdOptions options = with_smi(FakeSmi::with_memory(idle));
    options.extra_config =
        "ForceCommand case \"$SSH_ORIGINAL_COMMAND\" in nvidia-smi*) $SSH_ORIGINAL_COMMAND;; "
        "*) echo this login may only run nvidia-smi; exit 1;; esac\n";
    Lab lab;
    lab.add("locked", options);
    const json report = lab.report();
    const json& host = report.at("hosts").at(0);
    INFO(host.dump());
    CHECK(host.at("verdict") == "unknown");
    CHECK(host.at("gpus").size() == 8);
}

TEST_CASE("login files that print do no harm") {
    if (components_missing()) return;
    Lab lab;
    Sshd& sshd = lab.add("noisy", with_smi(FakeSmi::with_memory(idle)));
    const std::string noise = "echo '0, 9999 MiB'; echo 'GPU is lost' >&2\n";
    for (const char* file : {"/.bashrc", "/.profile", "/.zshenv", "/.cshrc"}) {
        std::FILE* stream = std::fopen((sshd.home() + file).c_str(), "w");
        REQUIRE(stream != nullptr);
        std::fputs(noise.c_str(), stream);
        std::fclose(stream);
    }
    const json report = lab.report();
    CHECK(report.at("hosts").at(0).at("verdict") == "clean");
    CHECK(report.at("hosts").at(0).at("gpus").size() == 8);
}
