#include "gpumuster/transport/ssh/ssh_transport.hpp"

#include <asio/steady_timer.hpp>

#include "gpumuster/base/input_error.hpp"
#include "support/catch.hpp"
#include "support/descriptors.hpp"
#include "support/listener.hpp"
#include "support/run_on_loop.hpp"
#include "support/ssh_visit.hpp"
#include "support/targets.hpp"

using namespace gpumuster;
using namespace std::chrono_literals;

namespace gpumuster::test {

RemoteCommand script(const std::string& text, std::chrono::milliseconds limit) {
    RemoteCommand command;
    command.text = text;
    command.limit = limit;
    return command;
}

asio::awaitable<VisitOutcome> go(Transport& transport, const OpenRequest& request,
                                 const VisitPlan& plan) {
    VisitOutcome outcome;
    auto opened = co_await transport.open(request);
    if (!opened) {
        outcome.failure = opened.error();
        co_return outcome;
    }
    outcome.remote_address = (*opened)->remote_address();
    for (const RemoteCommand& command : plan.commands) {
        auto output = co_await (*opened)->run(command);
        if (!output) {
            outcome.failure = output.error();
            break;
        }
        outcome.outputs.push_back(std::move(*output));
    }
    co_return outcome;
}

VisitOutcome visit(const Host& host, const VisitPlan& plan) {
    SshOptions options;
    options.output_cap_bytes = plan.output_cap_bytes;
    const Target target = test::target_of(host);
    const std::unique_ptr<Transport> transport = make_ssh_transport(std::span(&target, 1), options);
    const EffectiveSettings& settings = *target.settings;
    OpenLedger ledger;
    StageClock clock;
    std::stop_source stop;
    std::vector<Remark> remarks;
    const OpenRequest request{host,  settings, plan.budgets, stop.get_token(),
                              clock, ledger,   remarks};

    asio::io_context context;
    asio::steady_timer timer(context);
    if (plan.cancel_after) {
        timer.expires_after(*plan.cancel_after);
        timer.async_wait([&](const std::error_code&) { stop.request_stop(); });
    }
    VisitOutcome outcome = run_on(context, go(*transport, request, plan));
    outcome.timings = clock.timings();
    outcome.remarks = std::move(remarks);
    return outcome;
}

}  // namespace gpumuster::test

namespace {

using sim::Answer;
using sim::AnswerEnd;
using sim::HostState;
using test::script;
using test::SimulatedLab;
using test::visit;
using test::VisitOutcome;
using test::VisitPlan;

sim::Scenario one_host(HostState state, std::chrono::milliseconds latency = 0ms) {
    sim::SimulatedHost host;
    host.name = "node1";
    host.state = state;
    host.latency = latency;
    sim::Scenario scenario;
    scenario.hosts.push_back(host);
    return scenario;
}

// Every exec is answered by the given answer.
sim::SimOptions always(Answer answer) {
    sim::SimOptions options;
    options.responder = [answer](const sim::SimulatedHost&, std::string_view) { return answer; };
    return options;
}

VisitPlan one_command(std::chrono::milliseconds limit = 30s) {
    VisitPlan plan;
    plan.commands = {script("true", limit)};
    return plan;
}

Budgets short_budgets() {
    Budgets budgets;
    budgets.connect = 500ms;
    budgets.handshake = 300ms;
    budgets.auth = 300ms;
    budgets.channel = 300ms;
    return budgets;
}

VisitOutcome visit_state(HostState state) {
    const SimulatedLab lab(one_host(state));
    VisitPlan plan = one_command();
    plan.budgets = short_budgets();
    return visit(lab.host("node1"), plan);
}

}  // namespace

TEST_CASE("a command's streams and status come back over ssh, with each stage timed") {
    Answer answer;
    answer.out = "to out\n";
    answer.err = "to err\n";
    answer.exit_status = 7;
    const SimulatedLab lab(one_host(HostState::clean), always(answer));
    const VisitOutcome outcome = visit(lab.host("node1"), one_command());
    REQUIRE_FALSE(outcome.failure);
    REQUIRE(outcome.outputs.size() == 1);
    CHECK(outcome.outputs[0].out == "to out\n");
    CHECK(outcome.outputs[0].err == "to err\n");
    CHECK(outcome.outputs[0].ending == Ending::exited);
    CHECK(outcome.outputs[0].code == 7);
    CHECK(outcome.remote_address == "127.0.0.1");
    for (const Stage stage : {Stage::resolve, Stage::connect, Stage::handshake, Stage::host_key,
                              Stage::auth, Stage::channel, Stage::command}) {
        CHECK(outcome.timings.of(stage).has_value());
    }
    CHECK_FALSE(outcome.timings.of(Stage::container).has_value());
}

TEST_CASE("several commands run one after the other on one session") {
    sim::SimOptions options;
    options.responder = [](const sim::SimulatedHost&, std::string_view command) {
        Answer answer;
        answer.out = std::string(command);
        return answer;
    };
    const SimulatedLab lab(one_host(HostState::clean), options);
    VisitPlan plan;
    plan.commands = {script("echo 'one'"), script("two")};
    const VisitOutcome outcome = visit(lab.host("node1"), plan);
    REQUIRE(outcome.outputs.size() == 2);
    CHECK(outcome.outputs[0].out == R"(exec /bin/sh -c 'echo '"'"'one'"'"'')");
    CHECK(outcome.outputs[1].out == "exec /bin/sh -c 'two'");
    CHECK(lab.fleet().counts("node1").connections == 1);
    CHECK(lab.fleet().counts("node1").execs == 2);
}

TEST_CASE("the signed request goes out without a query before it, once") {
    const SimulatedLab lab(one_host(HostState::clean));
    visit(lab.host("node1"), one_command());
    CHECK(lab.fleet().counts("node1").key_offers == 0);
    CHECK(lab.fleet().counts("node1").auth_attempts == 1);
}

// libssh refuses its own RSA request when the server's list of signature algorithms is late.
TEST_CASE("an RSA key logs in however late the server names its signature algorithms") {
    sim::SimOptions options;
    options.client_key = sim::KeyType::rsa;
    const SimulatedLab lab(one_host(HostState::slow, 40ms), options);
    for (int i = 0; i < 5; ++i) {
        const VisitOutcome outcome = visit(lab.host("node1"), one_command());
        REQUIRE_FALSE(outcome.failure);
    }
}

TEST_CASE("every way in which a host cannot be visited has its own kind") {
    struct Case {
        HostState state;
        FailureKind kind;
        Stage stage;
    };
    const Case expected = GENERATE(
        Case{HostState::refused_port, FailureKind::connect_refused, Stage::connect},
        Case{HostState::closed_before_banner, FailureKind::handshake_closed, Stage::handshake},
        Case{HostState::throttled, FailureKind::handshake_throttled, Stage::handshake},
        Case{HostState::penalised, FailureKind::handshake_penalised, Stage::handshake},
        Case{HostState::silent, FailureKind::handshake_timeout, Stage::handshake},
        Case{HostState::not_ssh, FailureKind::handshake_not_ssh, Stage::handshake},
        Case{HostState::no_common_algorithm, FailureKind::handshake_no_common_algorithm,
             Stage::handshake},
        Case{HostState::unknown_key, FailureKind::hostkey_unknown, Stage::host_key},
        Case{HostState::changed_key, FailureKind::hostkey_changed, Stage::host_key},
        Case{HostState::refused_key, FailureKind::auth_denied, Stage::auth},
        Case{HostState::partial_auth, FailureKind::auth_partial, Stage::auth},
        Case{HostState::stuck_auth, FailureKind::auth_timeout, Stage::auth},
        Case{HostState::channel_refused, FailureKind::channel_refused, Stage::channel},
        Case{HostState::stuck_channel, FailureKind::channel_timeout, Stage::channel},
        Case{HostState::exec_refused, FailureKind::channel_exec_refused, Stage::channel});
    INFO(sim::state_info(expected.state).name);
    const VisitOutcome outcome = visit_state(expected.state);
    REQUIRE(outcome.failure);
    INFO(outcome.failure->message);
    CHECK(failure_info(outcome.failure->kind).id == failure_info(expected.kind).id);
    CHECK(outcome.failure->stage == expected.stage);
    CHECK(outcome.failure->hop.index == 0);
    CHECK(outcome.failure->hop.name == "node1");
    CHECK_FALSE(outcome.failure->message.empty());
    CHECK_FALSE(outcome.failure->next_step.empty());
}

TEST_CASE("a host key that is not trusted is refused before any login") {
    for (const HostState state : {HostState::unknown_key, HostState::changed_key}) {
        const SimulatedLab lab(one_host(state));
        const VisitOutcome outcome = visit(lab.host("node1"), one_command());
        REQUIRE(outcome.failure);
        CHECK_THAT(outcome.failure->message, ContainsSubstring("SHA256:"));
        CHECK_THAT(outcome.failure->message, ContainsSubstring("[127.0.0.1]:"));
        CHECK_THAT(outcome.failure->next_step, ContainsSubstring("ssh -o UserKnownHostsFile=/"));
        CHECK_THAT(outcome.failure->next_step, ContainsSubstring("root@127.0.0.1"));
        CHECK(lab.fleet().counts("node1").auth_attempts == 0);
    }
}

TEST_CASE("a refused key is never offered again, and the message names it") {
    const SimulatedLab lab(one_host(HostState::refused_key));
    Host host = lab.host("node1");
    const VisitOutcome outcome = visit(host, one_command());
    REQUIRE(outcome.failure);
    CHECK_THAT(outcome.failure->message, ContainsSubstring("user root was refused with"));
    CHECK_THAT(outcome.failure->message, ContainsSubstring(host.settings.identities[0]));
    CHECK(lab.fleet().counts("node1").auth_attempts == 1);
}

TEST_CASE("a name that does not resolve fails in the resolve stage") {
    const SimulatedLab lab(one_host(HostState::clean));
    Host host = lab.host("node1");
    host.settings.address = "no-such-host.invalid";
    const VisitOutcome outcome = visit(host, one_command());
    REQUIRE(outcome.failure);
    CHECK(outcome.failure->stage == Stage::resolve);
}

TEST_CASE("a user without a usable key is told which files were looked at") {
    const SimulatedLab lab(one_host(HostState::clean));
    const test::TempDir folder;
    Host host = lab.host("node1");
    host.settings.identities = {folder.write("open_key", lab.fleet().private_key_text(), 0644)};
    const VisitOutcome outcome = visit(host, one_command());
    REQUIRE(outcome.failure);
    CHECK(outcome.failure->kind == FailureKind::auth_no_key);
    CHECK_THAT(outcome.failure->message, ContainsSubstring("open_key can be read by others"));
}

TEST_CASE("a key or known_hosts file that was named and is not there is the user's mistake") {
    Host host;
    host.name = "a";
    host.settings.identities = {"/nonexistent/key"};
    host.settings.known_hosts = {"/nonexistent/known_hosts"};
    try {
        make_ssh_transport(test::targets_of({host}), SshOptions());
        FAIL("nothing was thrown");
    } catch (const InputError& error) {
        REQUIRE(error.lines().size() == 2);
        CHECK(error.lines()[0] == "identity: /nonexistent/key does not exist");
        CHECK(error.lines()[1] ==
              "known_hosts: /nonexistent/known_hosts: No such file or directory");
    }
}

TEST_CASE("a command past its deadline keeps what it had printed") {
    Answer answer;
    answer.out = "the facts came first\n";
    answer.end = AnswerEnd::never;
    const SimulatedLab lab(one_host(HostState::clean), always(answer));
    const VisitOutcome outcome = visit(lab.host("node1"), one_command(200ms));
    REQUIRE(outcome.outputs.size() == 1);
    CHECK(outcome.outputs[0].ending == Ending::deadline);
    CHECK(outcome.outputs[0].out == "the facts came first\n");
}

TEST_CASE("a signal, a missing status and a cut connection are endings of their own") {
    Answer answer;
    answer.out = "begun\n";
    SECTION("signal") {
        answer.end = AnswerEnd::signalled;
        answer.signal = "KILL";
        const SimulatedLab lab(one_host(HostState::clean), always(answer));
        const VisitOutcome outcome = visit(lab.host("node1"), one_command());
        REQUIRE(outcome.outputs.size() == 1);
        CHECK(outcome.outputs[0].ending == Ending::signalled);
        CHECK(outcome.outputs[0].signal == "KILL");
        CHECK(outcome.outputs[0].out == "begun\n");
    }
    SECTION("no status") {
        answer.end = AnswerEnd::without_status;
        const SimulatedLab lab(one_host(HostState::clean), always(answer));
        const VisitOutcome outcome = visit(lab.host("node1"), one_command());
        REQUIRE(outcome.outputs.size() == 1);
        CHECK(outcome.outputs[0].ending == Ending::lost);
        CHECK(outcome.outputs[0].out == "begun\n");
    }
    SECTION("connection cut") {
        answer.end = AnswerEnd::connection_cut;
        const SimulatedLab lab(one_host(HostState::clean), always(answer));
        const VisitOutcome outcome = visit(lab.host("node1"), one_command());
        REQUIRE(outcome.outputs.size() == 1);
        CHECK(outcome.outputs[0].ending == Ending::lost);
    }
}

TEST_CASE("endless output is cut at the cap") {
    Answer answer;
    answer.out = std::string(10'000, 'x');
    answer.end = AnswerEnd::endless;
    const SimulatedLab lab(one_host(HostState::clean), always(answer));
    VisitPlan plan = one_command();
    plan.output_cap_bytes = 123'456;
    const VisitOutcome outcome = visit(lab.host("node1"), plan);
    REQUIRE(outcome.outputs.size() == 1);
    CHECK(outcome.outputs[0].ending == Ending::capped);
    CHECK(outcome.outputs[0].out.size() + outcome.outputs[0].err.size() == 123'456);
}

TEST_CASE("megabytes on both streams arrive whole") {
    Answer answer;
    answer.out = std::string(2'000'000, 'o');
    answer.err = std::string(2'000'000, 'e');
    const SimulatedLab lab(one_host(HostState::clean), always(answer));
    VisitPlan plan = one_command();
    plan.output_cap_bytes = 8 << 20;
    const VisitOutcome outcome = visit(lab.host("node1"), plan);
    REQUIRE(outcome.outputs.size() == 1);
    CHECK(outcome.outputs[0].ending == Ending::exited);
    CHECK(outcome.outputs[0].out.size() == 2'000'000);
    CHECK(outcome.outputs[0].err.size() == 2'000'000);
}

TEST_CASE("a cancelled visit ends at once in whatever stage it is") {
    const HostState state =
        GENERATE(HostState::silent, HostState::stuck_auth, HostState::stuck_channel);
    const SimulatedLab lab(one_host(state));
    VisitPlan plan = one_command();
    plan.cancel_after = 100ms;
    const VisitOutcome outcome = visit(lab.host("node1"), plan);
    REQUIRE(outcome.failure);
    CHECK(outcome.failure->kind == FailureKind::run_interrupted);
}

TEST_CASE("a cancelled command keeps what had arrived") {
    Answer answer;
    answer.out = "begun\n";
    answer.end = AnswerEnd::never;
    const SimulatedLab lab(one_host(HostState::clean), always(answer));
    VisitPlan plan = one_command();
    plan.cancel_after = 300ms;
    const VisitOutcome outcome = visit(lab.host("node1"), plan);
    REQUIRE(outcome.outputs.size() == 1);
    CHECK(outcome.outputs[0].ending == Ending::cancelled);
    CHECK(outcome.outputs[0].out == "begun\n");
}

TEST_CASE("visits leave no descriptor behind, whatever went wrong") {
    const HostState states[] = {
        HostState::clean,           HostState::refused_port, HostState::closed_before_banner,
        HostState::throttled,       HostState::silent,       HostState::not_ssh,
        HostState::unknown_key,     HostState::refused_key,  HostState::stuck_channel,
        HostState::channel_refused, HostState::torn,         HostState::flood};
    visit_state(HostState::clean);  // libraries open what they keep
    const std::size_t before = test::open_descriptors();
    for (const HostState state : states) {
        INFO(sim::state_info(state).name);
        visit_state(state);
        CHECK(test::open_descriptors() == before);
    }
}
