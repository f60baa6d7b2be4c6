#include "gpumuster-sim/simulated_fleet.hpp"

#include <chrono>
#include <fstream>
#include <memory>
#include <vector>

#include "apps/gpumuster-sim/openssh_client.hpp"
#include "gpumuster-sim/state_folder.hpp"
#include "gpumuster/probe/probe.hpp"
#include "support/catch.hpp"
#include "support/components.hpp"

using namespace gpumuster;
using namespace gpumuster::sim;
using namespace gpumuster::test;

namespace {

const std::string plain = "nvidia-smi --query-gpu=index,memory.used --format=csv,noheader";
const std::string idle_rows =
    "0, 2 MiB\n1, 2 MiB\n2, 2 MiB\n3, 2 MiB\n4, 2 MiB\n5, 2 MiB\n6, 2 MiB\n7, 2 MiB\n";

// What the plain query of the OpenSSH client comes to on a host in a state.
ShellResult ask(HostState state) {
    const RunningFleet fleet(one(state));
    return OpensshClient(*fleet).run("host", plain);
}

}  // namespace

TEST_CASE("OpenSSH reads the GPUs of a clean host") {
    if (component_missing("ssh")) return;
    const ShellResult result = ask(HostState::clean);
    CHECK(result.text == idle_rows);
    CHECK(result.status == 0);
}

TEST_CASE("an RSA key logs in as well") {
    if (component_missing("ssh")) return;
    const RunningFleet fleet(one(HostState::clean), {.client_key = KeyType::rsa});
    CHECK(OpensshClient(*fleet).run("host", plain).text == idle_rows);
}

TEST_CASE("exit status and both streams arrive") {
    if (component_missing("ssh")) return;
    CHECK(ask(HostState::version_mismatch).status == 18);
    const RunningFleet fleet(one(HostState::clean));
    const ShellResult result = OpensshClient(*fleet).run("host", "uname -a");
    CHECK(result.text == "sh: 1: uname: not found\n");
    CHECK(result.status == 127);
}

TEST_CASE("a visit is counted stage by stage") {
    if (component_missing("ssh")) return;
    const RunningFleet fleet(one(HostState::clean));
    CHECK(fleet->counts("host").connections == 0);
    OpensshClient(*fleet).run("host", plain);
    const VisitCounts counts = fleet->counts("host");
    CHECK(counts.connections == 1);
    CHECK(counts.key_offers == 1);
    CHECK(counts.auth_attempts == 1);
    CHECK(counts.logins == 1);
    CHECK(counts.channels == 1);
    CHECK(counts.execs == 1);
    CHECK_THROWS_AS(fleet->counts("hos"), std::out_of_range);
}

TEST_CASE("one connection answers one command after another") {
    if (component_missing("ssh")) return;
    const RunningFleet fleet(one(HostState::clean));
    const OpensshClient client(*fleet);
    const std::string control = "-o ControlPath=" + client.folder() + "/control";
    REQUIRE(
        run_shell(client.line("host", control + " -o ControlMaster=yes -fN >/dev/null")).status ==
        0);
    for (int i = 0; i < 5; ++i) CHECK(client.run("host", plain, control).text == idle_rows);
    run_shell(client.line("host", control + " -O exit"));
    CHECK(fleet->counts("host").connections == 1);
    CHECK(fleet->counts("host").execs == 5);
}

TEST_CASE("a key that is not the fleet's is refused") {
    if (component_missing("ssh")) return;
    const RunningFleet fleet(one(HostState::clean));
    const TempDir folder;
    write_state_folder(SimulatedFleet(one(HostState::clean)), folder.path());
    const ShellResult result = run_shell(
        "ssh -F none -n -o BatchMode=yes -o StrictHostKeyChecking=no -o IdentitiesOnly=yes "
        "-o UserKnownHostsFile=/dev/null -i " +
        folder.path() + "/key -p " + std::to_string(fleet->host("host").port) +
        " root@127.0.0.1 true");
    CHECK_THAT(result.text, ContainsSubstring("Permission denied (publickey)"));
    CHECK(fleet->counts("host").key_offers == 1);
    CHECK(fleet->counts("host").logins == 0);
}

TEST_CASE("refusals before a command end OpenSSH with its own words") {
    if (component_missing("ssh")) return;
    const auto [state, words] = GENERATE(table<HostState, std::string>({
        {HostState::refused_key, "Permission denied (publickey)"},
        {HostState::partial_auth, "Permission denied (keyboard-interactive)"},
        {HostState::unknown_key, "Host key verification failed"},
        {HostState::changed_key, "REMOTE HOST IDENTIFICATION HAS CHANGED"},
        {HostState::no_common_algorithm, "no matching key exchange method found"},
        {HostState::channel_refused, "open failed"},
        {HostState::exec_refused, "exec request failed"},
        {HostState::refused_port, "Connection refused"},
        {HostState::closed_before_banner, "kex_exchange_identification"},
        {HostState::throttled, "kex_exchange_identification"},
        {HostState::penalised, "kex_exchange_identification"},
        {HostState::not_ssh, "kex_exchange_identification"},
    }));
    const ShellResult result = ask(state);
    CAPTURE(state_info(state).name);
    CHECK_THAT(result.text, ContainsSubstring(words));
    CHECK(result.status == 255);
}

TEST_CASE("hosts that stop answering keep the client waiting where they say") {
    if (component_missing("ssh") || component_missing("timeout")) return;
    const auto [state, logins, execs] = GENERATE(table<HostState, unsigned, unsigned>({
        {HostState::silent, 0, 0},
        {HostState::stuck_auth, 0, 0},
        {HostState::stuck_channel, 1, 0},
        {HostState::hung, 1, 1},
    }));
    const RunningFleet fleet(one(state));
    const ShellResult result = OpensshClient(*fleet).run("host", plain, "", 1);
    CAPTURE(state_info(state).name, result.text);
    CHECK(result.status == 124);
    CHECK(result.text.empty());
    CHECK(fleet->counts("host").connections == 1);
    CHECK(fleet->counts("host").logins == logins);
    CHECK(fleet->counts("host").execs == execs);
}

TEST_CASE("a hung host says its facts first") {
    if (component_missing("ssh")) return;
    auto fleet = std::make_unique<RunningFleet>(one(HostState::hung));
    const OpensshClient client(**fleet);
    const Marker marker{"0123456789abcdef"};
    std::ofstream(client.folder() + "/command")
        << first_question(ProbeLevel::full, marker, std::chrono::seconds{60}).text;
    FILE* pipe =
        popen((client.line("host", "") + " \"$(cat " + client.folder() + "/command)\" 2>/dev/null")
                  .c_str(),
              "r");
    REQUIRE(pipe != nullptr);
    std::string text;
    while (!text.ends_with(marker.text + " begin gpus\n")) {
        const int byte = std::fgetc(pipe);
        if (byte == EOF) break;
        text += static_cast<char>(byte);
    }
    CHECK_THAT(text, ContainsSubstring("Kernel Module  570.86.15"));
    CHECK_THAT(text, ContainsSubstring(marker.text + " begin gpus\n"));
    fleet.reset();
    CHECK(std::fgetc(pipe) == EOF);
    pclose(pipe);
}

TEST_CASE("answers that do not arrive whole end each in their way") {
    if (component_missing("ssh")) return;
    const ShellResult torn = ask(HostState::torn);
    CHECK_THAT(torn.text, ContainsSubstring("0, 2 MiB\n1, 2 MiB\n"));
    CHECK(torn.text.find("7, 2 MiB") == std::string::npos);
    CHECK(torn.status == 255);

    const ShellResult killed = ask(HostState::signalled);
    CHECK(killed.text == torn.text.substr(0, torn.text.find("Connection")));
    CHECK(killed.status == 255);

    const ShellResult without_status = ask(HostState::no_status);
    CHECK(without_status.text == idle_rows);
    CHECK(without_status.status == 255);
}

TEST_CASE("a flood goes on for as long as the connection does") {
    if (component_missing("ssh")) return;
    auto fleet = std::make_unique<RunningFleet>(one(HostState::flood));
    const OpensshClient client(**fleet);
    FILE* pipe = popen((client.line("host", "") + " flood 2>/dev/null").c_str(), "r");
    REQUIRE(pipe != nullptr);
    // Ten times the window that OpenSSH gives a channel.
    std::vector<char> bytes(20 * 1024 * 1024);
    CHECK(std::fread(bytes.data(), 1, bytes.size(), pipe) == bytes.size());
    fleet.reset();
    while (std::fread(bytes.data(), 1, bytes.size(), pipe) > 0) continue;
    CHECK(WEXITSTATUS(pclose(pipe)) == 255);
}

TEST_CASE("a latency delays every flight") {
    if (component_missing("ssh")) return;
    using namespace std::chrono;
    Scenario scenario = one(HostState::slow);
    scenario.hosts[0].latency = 40ms;
    const RunningFleet fleet(scenario);
    const OpensshClient client(*fleet);
    const auto start = steady_clock::now();
    CHECK(client.run("host", plain).text == idle_rows);
    // At least banner, two of the key exchange, authentication, channel, command.
    CHECK(steady_clock::now() - start >= 6 * 40ms);
}

TEST_CASE("an answer of a test's own stands in for the host") {
    if (component_missing("ssh")) return;
    SimOptions options;
    options.responder = [](const SimulatedHost& host,
                           std::string_view command) -> std::optional<Answer> {
        if (command != "whoami") return {};
        return Answer{host.name + "\n", {}, AnswerEnd::exited, 3};
    };
    const RunningFleet fleet(one(HostState::clean), options);
    const OpensshClient client(*fleet);
    const ShellResult own = client.run("host", "whoami");
    CHECK(own.text == "host\n");
    CHECK(own.status == 3);
    CHECK(client.run("host", plain).text == idle_rows);
}

TEST_CASE("a large answer arrives whole on both streams") {
    if (component_missing("ssh")) return;
    SimOptions options;
    options.responder = [](const SimulatedHost&, std::string_view) {
        return Answer{std::string(3'000'000, 'o'), std::string(3'000'000, 'e')};
    };
    const RunningFleet fleet(one(HostState::clean), options);
    const OpensshClient client(*fleet);
    const ShellResult result = run_shell(client.line("host", "") + " big 2>" + client.folder() +
                                         "/err | wc -c; wc -c <" + client.folder() + "/err");
    CHECK(result.text == "3000000\n3000000\n");
}
