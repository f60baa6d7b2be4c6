#include "gpumuster/transport/openssh/openssh_transport.hpp"

#include <stdlib.h>

#include <filesystem>
#include <sstream>

#include <asio/steady_timer.hpp>

#include "support/catch.hpp"
#include "support/components.hpp"
#include "support/descriptors.hpp"
#include "support/listener.hpp"
#include "support/processes.hpp"
#include "support/run_on_loop.hpp"
#include "support/sshd.hpp"
#include "support/targets.hpp"

using namespace gpumuster;
using namespace gpumuster::test;
using namespace std::chrono_literals;

namespace {

// Our side of a visit: a key, a known_hosts file and an ssh_config in which the host is "gpu1".
class Client {
public:
    Client() : key_(make_client_key(folder_, "key")) {
        settings_.target.name = "gpu1";
        settings_.target.address = "127.0.0.1";
        settings_.target.user = current_user();
        settings_.target.known_hosts_files = {known_hosts()};
        settings_.openssh_arguments = {"-F", folder_.file("config")};
        settings_.openssh_destination = "gpu1";
        folder_.write("known_hosts", "");
    }

    SshdOptions welcoming(const std::string& first_config = {}) const {
        SshdOptions options;
        options.authorized_key = key_.public_line;
        options.first_config = first_config;
        return options;
    }
    void trust(const std::string& known_hosts_line) {
        trusted_ += known_hosts_line + "\n";
        folder_.write("known_hosts", trusted_);
    }

    // The port of gpu1, and lines of ssh_config that come first for it.
    void aim(std::uint16_t port, const std::string& lines = {}) {
        settings_.target.port = port;
        folder_.write("config", lines + "\nHost gpu1\n" + login_lines(port));
    }
    // One jump host, as inventory and settings would name it.
    void pass(std::uint16_t hop_port, std::uint16_t target_port, const std::string& lines = {}) {
        Login hop = settings_.target;
        hop.name = "b1";
        hop.port = hop_port;
        settings_.hops = {hop};
        settings_.openssh_arguments.insert(settings_.openssh_arguments.end(), {"-J", "b1"});
        aim(target_port, lines + "\nHost b1\n" + login_lines(hop_port));
    }
    std::string login_lines(std::uint16_t port) const {
        return "  HostName 127.0.0.1\n  Port " + std::to_string(port) + "\n  User " +
               current_user() + "\n  IdentityFile " + key_.path +
               "\n  IdentitiesOnly yes\n  UserKnownHostsFile " + known_hosts() +
               "\n  GlobalKnownHostsFile /dev/null\n";
    }

    std::string known_hosts() const { return folder_.file("known_hosts"); }
    const TempDir& folder() const { return folder_; }
    const ClientKey& key() const { return key_; }
    EffectiveSettings& settings() { return settings_; }

    struct Plan {
        std::string script = "true";
        std::chrono::milliseconds limit{30'000};
        Budgets budgets{};
        std::size_t cap = 1 << 20;
        std::optional<std::chrono::milliseconds> cancel_after{};
        std::string program = program_path("ssh");
        std::optional<ContainerEntry> container{};
    };

    Result<CommandOutput> visit(const Plan& plan) {
        Host host;
        host.name = "gpu1";
        host.settings.container = plan.container;
        std::stop_source stop;
        OpenLedger ledger;
        clock_ = StageClock();
        remarks_.clear();
        const OpenRequest request{host,   settings_, plan.budgets, stop.get_token(),
                                  clock_, ledger,    remarks_};
        OpensshOptions options;
        options.ssh_program = plan.program;
        options.output_cap_bytes = plan.cap;
        options.jitter = [] { return 0.0; };
        const auto transport = make_openssh_transport(options);

        asio::io_context context;
        auto connection = run_on(context, transport->open(request));
        if (!connection) return failed(connection.error());
        asio::steady_timer timer(context);
        if (plan.cancel_after) {
            timer.expires_after(*plan.cancel_after);
            timer.async_wait([&](const std::error_code&) { stop.request_stop(); });
        }
        RemoteCommand command;
        command.text = plan.script;
        command.limit = plan.limit;
        return run_on(context, (*connection)->run(command));
    }
    Result<CommandOutput> visit(const std::string& script = "true") {
        Plan plan;
        plan.script = script;
        return visit(plan);
    }

    CommandOutput output(const std::string& script) {
        auto output = visit(script);
        INFO((output ? "" : output.error().message));
        REQUIRE(output.has_value());
        return std::move(*output);
    }
    Failure failure(const Plan& plan) {
        auto output = visit(plan);
        REQUIRE_FALSE(output.has_value());
        INFO(output.error().message);
        return output.error();
    }
    Failure failure() { return failure(Plan()); }

    const std::vector<Remark>& remarks() const { return remarks_; }
    const Timings& timings() const { return clock_.timings(); }

private:
    TempDir folder_;
    ClientKey key_;
    std::string trusted_;
    EffectiveSettings settings_;
    StageClock clock_;
    std::vector<Remark> remarks_;
};

bool parts_missing() {
    return component_missing("sshd") || component_missing("ssh");
}

// Ends when its sshd session does, so that nothing of it is left behind.
const std::string stays = "echo begun; while kill -0 $PPID 2>/dev/null; do sleep 0.1; done";

// A ProxyCommand that notes its own number and that of its ssh, and then leads to `port`.
std::string noting_proxy(const Client& client, const Sshd& sshd) {
    const std::string script = "#!/bin/sh\necho $PPID $$ > " + client.folder().file("pids") +
                               "\nexec " + program_path("ssh") + " -F " +
                               client.folder().file("config") +
                               " -W 127.0.0.1:" + std::to_string(sshd.port()) + " b1\n";
    return client.folder().write("proxy", script, 0700);
}

void check_gone(const Client& client) {
    std::istringstream words(read_file(client.folder().file("pids")));
    pid_t ssh = 0;
    pid_t proxy = 0;
    words >> ssh >> proxy;
    REQUIRE(ssh > 0);
    REQUIRE(proxy > 0);
    CHECK(has_gone(ssh));
    CHECK(has_gone(proxy));
}

// A program that ssh may ask for secrets, and leaves a trace when it does.
class Tempting {
public:
    explicit Tempting(const TempDir& folder) : trace_(folder.file("asked")) {
        const std::string program =
            folder.write("askpass", "#!/bin/sh\ntouch " + trace_ + "\necho no\n", 0700);
        ::setenv("SSH_ASKPASS", program.c_str(), 1);
        ::setenv("SSH_ASKPASS_REQUIRE", "force", 1);
        ::setenv("DISPLAY", ":77", 1);
    }
    ~Tempting() {
        for (const char* name : {"SSH_ASKPASS", "SSH_ASKPASS_REQUIRE", "DISPLAY"}) ::unsetenv(name);
    }
    bool was_asked() const { return std::filesystem::exists(trace_); }

private:
    std::string trace_;
};

}  // namespace

TEST_CASE("a command's streams and status come back through the system's ssh") {
    if (parts_missing()) return;
    Client client;
    const Sshd sshd(client.welcoming());
    client.trust(sshd.known_hosts_line());
    client.aim(sshd.port());
    const CommandOutput output = client.output("cat; echo out; echo err >&2; exit 7");
    CHECK(output.out == "out\n");
    CHECK(output.err == "err\n");
    CHECK(output.ending == Ending::exited);
    CHECK(output.code == 7);
    CHECK(client.remarks().empty());
    for (const Stage stage : {Stage::connect, Stage::handshake, Stage::auth, Stage::command}) {
        CHECK(client.timings().of(stage).has_value());
    }
}

TEST_CASE("255 of a remote command is its status, with output and without") {
    if (parts_missing()) return;
    Client client;
    const Sshd sshd(client.welcoming());
    client.trust(sshd.known_hosts_line());
    client.aim(sshd.port());
    for (const char* script : {"echo frame; exit 255", "exit 255"}) {
        const CommandOutput output = client.output(script);
        CHECK(output.ending == Ending::exited);
        CHECK(output.code == 255);
    }
    CHECK(client.output("kill -KILL $$").ending == Ending::signalled);
    CHECK(client.output("echo part; kill -KILL $PPID; sleep 1").ending == Ending::lost);
}

TEST_CASE("a ProxyCommand is honoured, and gone with its ssh at the deadline") {
    if (parts_missing()) return;
    Client client;
    const Sshd bastion(client.welcoming());
    const Sshd sshd(client.welcoming());
    client.trust(bastion.known_hosts_line());
    client.trust(sshd.known_hosts_line());
    client.aim(sshd.port(), "Host gpu1\n  ProxyCommand " + noting_proxy(client, sshd) +
                                "\nHost b1\n" + client.login_lines(bastion.port()));
    CHECK(client.output("echo hi").out == "hi\n");
    CHECK(bastion.times_logged("Accepted publickey") == 1);
    check_gone(client);

    Client::Plan plan;
    plan.script = stays;
    plan.limit = 300ms;
    const auto output = client.visit(plan);
    REQUIRE(output.has_value());
    CHECK(output->ending == Ending::deadline);
    CHECK(output->out == "begun\n");
    check_gone(client);
}

TEST_CASE("a visit that is cancelled ends at once, with all that was started") {
    if (parts_missing()) return;
    Client client;
    const Sshd bastion(client.welcoming());
    const Sshd sshd(client.welcoming());
    client.trust(bastion.known_hosts_line());
    client.trust(sshd.known_hosts_line());
    client.aim(sshd.port(), "Host gpu1\n  ProxyCommand " + noting_proxy(client, sshd) +
                                "\nHost b1\n" + client.login_lines(bastion.port()));
    Client::Plan plan;
    plan.script = stays;
    plan.cancel_after = 2s;
    const auto output = client.visit(plan);
    // On a slow machine the login is not over by then.
    if (output) CHECK(output->ending == Ending::cancelled);
    if (!output) CHECK(output.error().kind == FailureKind::run_interrupted);
    check_gone(client);
}

TEST_CASE("output beyond the cap ends the ssh") {
    if (parts_missing()) return;
    Client client;
    const Sshd sshd(client.welcoming());
    client.trust(sshd.known_hosts_line());
    client.aim(sshd.port());
    Client::Plan plan;
    plan.script = "yes";
    plan.cap = 100'000;
    const auto output = client.visit(plan);
    REQUIRE(output.has_value());
    CHECK(output->ending == Ending::capped);
    CHECK(output->out.size() <= 100'000);
    CHECK(output->out.size() > 50'000);
}

TEST_CASE("a host that only a certificate authority vouches for is trusted") {
    if (parts_missing()) return;
    Client client;
    const ClientKey authority = make_client_key(client.folder(), "authority");
    SshdOptions options = client.welcoming();
    options.host_authority = authority.path;
    options.host_principals = "127.0.0.1";
    const Sshd sshd(options);
    client.trust("@cert-authority [127.0.0.1]:" + std::to_string(sshd.port()) + " " +
                 authority.public_line);
    client.aim(sshd.port());
    CHECK(client.output("echo hi").out == "hi\n");

    Client stranger;
    options.host_principals = "elsewhere";
    options.authorized_key = stranger.key().public_line;
    const Sshd other(options);
    stranger.trust("@cert-authority * " + authority.public_line);
    stranger.aim(other.port());
    const Failure failure = stranger.failure();
    CHECK(failure.kind == FailureKind::hostkey_unknown);
    CHECK_THAT(failure.message, ContainsSubstring("not a listed principal"));
}

TEST_CASE("host keys that are not trusted are told apart, and checking cannot be switched off") {
    if (parts_missing()) return;
    Client client;
    const Sshd sshd(client.welcoming());
    client.aim(sshd.port(), "StrictHostKeyChecking no");
    const Failure unknown = client.failure();
    CHECK(unknown.kind == FailureKind::hostkey_unknown);
    CHECK(unknown.stage == Stage::host_key);
    CHECK_THAT(unknown.message, ContainsSubstring("ssh-ed25519 SHA256:"));

    const ClientKey other = make_client_key(client.folder(), "other");
    const std::string name = "[127.0.0.1]:" + std::to_string(sshd.port());
    client.trust(name + " " + other.public_line);
    client.settings().target.host_key_rule = HostKeyRule::accept_unverified;
    const Failure changed = client.failure();
    CHECK(changed.kind == FailureKind::hostkey_changed);
    CHECK_THAT(changed.message, ContainsSubstring(client.known_hosts() + ":1"));
    CHECK_THAT(changed.next_step, ContainsSubstring("-f " + client.known_hosts()));

    client.trust("@revoked * " + sshd.host_key());
    CHECK(client.failure().kind == FailureKind::hostkey_revoked);
    CHECK(sshd.times_logged("Accepted publickey") == 0);
}

TEST_CASE("a new key is accepted by the rules that say so, and remarked") {
    if (parts_missing()) return;
    Client client;
    const Sshd sshd(client.welcoming());
    client.aim(sshd.port());
    client.settings().target.host_key_rule = HostKeyRule::accept_new;
    CHECK(client.output("echo hi").out == "hi\n");
    REQUIRE(client.remarks().size() == 1);
    CHECK(client.remarks()[0].kind == RemarkKind::host_key_added);
    CHECK_THAT(read_file(client.known_hosts()), ContainsSubstring(sshd.host_key()));
    client.output("true");
    CHECK(client.remarks().empty());

    client.trust("");
    client.settings().target.host_key_rule = HostKeyRule::accept_unverified;
    client.aim(sshd.port(), "StrictHostKeyChecking no\nUserKnownHostsFile /dev/null");
    client.output("true");
    REQUIRE(client.remarks().size() == 1);
    CHECK(client.remarks()[0].kind == RemarkKind::host_key_unverified);
}

TEST_CASE("a key that the host does not accept is refused, and nobody is asked for a password") {
    if (parts_missing()) return;
    Client client;
    const Tempting tempting(client.folder());
    SshdOptions options = client.welcoming("PasswordAuthentication yes\n");
    options.authorized_key = make_client_key(client.folder(), "other").public_line;
    const Sshd sshd(options);
    client.trust(sshd.known_hosts_line());
    client.aim(sshd.port());
    const Failure failure = client.failure();
    CHECK(failure.kind == FailureKind::auth_denied);
    CHECK(failure.stage == Stage::auth);
    CHECK_THAT(failure.message, ContainsSubstring("publickey,password"));
    CHECK_FALSE(tempting.was_asked());
}

TEST_CASE("nobody is asked for the passphrase of a key") {
    if (parts_missing()) return;
    Client client;
    const Tempting tempting(client.folder());
    const ClientKey key = make_client_key(client.folder(), "locked", "ed25519", "secret");
    SshdOptions options = client.welcoming();
    options.authorized_key = key.public_line;
    const Sshd sshd(options);
    client.trust(sshd.known_hosts_line());
    client.aim(sshd.port(), "IdentityFile " + key.path);
    CHECK(client.failure().stage == Stage::auth);
    CHECK_FALSE(tempting.was_asked());
}

TEST_CASE("the ssh of a jump host asks nobody either, and its failure is named by the hop") {
    if (parts_missing()) return;
    Client client;
    const Tempting tempting(client.folder());
    const Sshd bastion(client.welcoming());
    const Sshd sshd(client.welcoming());
    client.trust(sshd.known_hosts_line());
    client.pass(bastion.port(), sshd.port());
    const Failure failure = client.failure();
    CHECK(failure.kind == FailureKind::hostkey_unknown);
    CHECK(failure.hop.name == "b1");
    CHECK(failure.hop.index == 1);
    CHECK_FALSE(tempting.was_asked());

    client.trust(bastion.known_hosts_line());
    CHECK(client.output("echo hi").out == "hi\n");
}

TEST_CASE("a jump host that forbids forwarding is told from a target that refuses") {
    if (parts_missing()) return;
    Client client;
    const Sshd closed(client.welcoming("AllowTcpForwarding no\n"));
    const Listener refusing = refuse_on_loopback();
    client.trust(closed.known_hosts_line());
    client.pass(closed.port(), refusing.port);
    const Failure forbidden = client.failure();
    CHECK(forbidden.kind == FailureKind::hop_forwarding_forbidden);
    CHECK(forbidden.hop.name == "b1");

    Client other;
    const Sshd open(other.welcoming());
    other.trust(open.known_hosts_line());
    other.pass(open.port(), refusing.port);
    const Failure refused = other.failure();
    CHECK(refused.kind == FailureKind::connect_refused);
    CHECK(refused.hop.name == "gpu1");
    CHECK_THAT(refused.message, ContainsSubstring("as seen from b1"));

    Client late;
    late.pass(refusing.port, open.port());
    const Failure unreached = late.failure();
    CHECK(unreached.kind == FailureKind::connect_refused);
    CHECK(unreached.hop.name == "b1");
}

TEST_CASE("ports that do not answer as an sshd are told apart") {
    if (component_missing("ssh")) return;
    Client client;
    Client::Plan plan;
    plan.budgets.connect = 1s;
    const auto kind_at = [&](std::uint16_t port) {
        client.aim(port);
        return client.failure(plan).kind;
    };
    const Listener refusing = refuse_on_loopback();
    CHECK(kind_at(refusing.port) == FailureKind::connect_refused);
    const DeafListener deaf = deaf_on_loopback();
    CHECK(kind_at(deaf.listener.port) == FailureKind::connect_timeout);
    const FakeServer mute(silent());
    CHECK(kind_at(mute.port()) == FailureKind::handshake_timeout);
    const FakeServer web(saying("HTTP/1.1 400 Bad Request\r\n\r\n"));
    CHECK(kind_at(web.port()) == FailureKind::handshake_not_ssh);
    const FakeServer penalising(saying("Not allowed at this time\r\n"));
    CHECK(kind_at(penalising.port()) == FailureKind::handshake_penalised);
    CHECK(penalising.connections() == 1);
}

TEST_CASE("what is dropped before any credential is tried again, twice at most") {
    if (component_missing("ssh")) return;
    Client client;
    const FakeServer dropping(closing());
    client.aim(dropping.port());
    CHECK(client.failure().kind == FailureKind::handshake_closed);
    CHECK(dropping.connections() == 3);
    const FakeServer busy(saying("Exceeded MaxStartups\r\n"));
    client.aim(busy.port());
    CHECK(client.failure().kind == FailureKind::handshake_throttled);
    CHECK(busy.connections() == 3);
}

TEST_CASE("an sshd that stops after its identification is a timeout of the handshake") {
    if (component_missing("ssh")) return;
    Client client;
    Client::Plan plan;
    for (std::chrono::milliseconds* budget :
         {&plan.budgets.resolve, &plan.budgets.connect, &plan.budgets.handshake, &plan.budgets.auth,
          &plan.budgets.channel}) {
        *budget = 200ms;
    }
    const FakeServer stopping(saying_only(ssh_identification));
    client.aim(stopping.port());
    const Failure failure = client.failure(plan);
    CHECK(failure.kind == FailureKind::handshake_timeout);
    CHECK(failure.stage == Stage::handshake);
}

TEST_CASE("a name without address and a broken configuration are said before any connection") {
    if (component_missing("ssh")) return;
    Client client;
    client.aim(22, "Host gpu1\n  HostName no-such-host.invalid");
    const FailureKind kind = client.failure().kind;
    // Without a name server, nobody can say that there is no such name.
    CHECK((kind == FailureKind::resolve_not_found || kind == FailureKind::resolve_failed));
    client.aim(22, "NoSuchOption yes");
    const Failure refused = client.failure();
    CHECK(refused.kind == FailureKind::config_refused);
    CHECK_THAT(refused.message, ContainsSubstring("nosuchoption"));
}

TEST_CASE("sides without a common cipher are told so") {
    if (parts_missing()) return;
    Client client;
    const Sshd sshd(client.welcoming("Ciphers aes256-ctr\n"));
    client.trust(sshd.known_hosts_line());
    client.aim(sshd.port(), "Ciphers aes128-gcm@openssh.com");
    const Failure failure = client.failure();
    CHECK(failure.kind == FailureKind::handshake_no_common_algorithm);
    CHECK_THAT(failure.message, ContainsSubstring("aes256-ctr"));
}

TEST_CASE("an sshd that opens no session refuses the channel") {
    if (parts_missing()) return;
    Client client;
    const Sshd sshd(client.welcoming("MaxSessions 0\n"));
    client.trust(sshd.known_hosts_line());
    client.aim(sshd.port());
    CHECK(client.failure().kind == FailureKind::channel_refused);
}

TEST_CASE("a container is entered through the system's ssh, and its tool's trouble is its own") {
    if (parts_missing()) return;
    Client client;
    const Sshd sshd(client.welcoming());
    client.trust(sshd.known_hosts_line());
    client.aim(sshd.port());
    Client::Plan plan;
    plan.script = "echo $INSIDE; echo err >&2; exit 255";
    plan.container = ContainerEntry{ContainerEntry::Kind::exec, "", {"env", "INSIDE=yes"}};
    const auto output = client.visit(plan);
    REQUIRE(output.has_value());
    CHECK(output->out == "yes\n");
    CHECK(output->err == "err\n");
    CHECK(output->code == 255);
    plan.container->argv = {"no-such-tool"};
    CHECK(client.failure(plan).kind == FailureKind::container_tool_missing);
}

TEST_CASE("what a configuration sets for interactive use changes nothing") {
    if (parts_missing()) return;
    Client client;
    const Sshd sshd(client.welcoming());
    client.trust(sshd.known_hosts_line());
    const std::string socket = client.folder().file("master");
    const std::string trace = client.folder().file("local");
    client.aim(sshd.port(),
               "RemoteCommand echo other\nRequestTTY force\nForwardAgent yes\nForwardX11 yes\n"
               "ControlMaster auto\nControlPersist yes\nControlPath " +
                   socket + "\nPermitLocalCommand yes\nLocalCommand touch " + trace +
                   "\nLocalForward 127.0.0.1:" + std::to_string(sshd.port()) +
                   " 127.0.0.1:1\nExitOnForwardFailure yes\nBatchMode no\nLogLevel QUIET");
    const CommandOutput output = client.output("test -t 1 || echo mine");
    CHECK(output.out == "mine\n");
    CHECK(output.code == 0);
    CHECK_FALSE(std::filesystem::exists(socket));
    CHECK_FALSE(std::filesystem::exists(trace));
}

TEST_CASE("a master that the user has running serves the command") {
    if (parts_missing()) return;
    Client client;
    const Sshd sshd(client.welcoming());
    client.trust(sshd.known_hosts_line());
    client.aim(sshd.port(), "ControlPath " + client.folder().file("master"));
    ProgramOrder order;
    order.argv = ended_with_us(
        {program_path("ssh"), "-v", "-M", "-N", "-F", client.folder().file("config"), "gpu1"});
    BackgroundProgram master(order, client.folder().file("out"), client.folder().file("err"));
    REQUIRE(wait_for_text(client.folder().file("err"), "Entering interactive session", master));
    const CommandOutput output = client.output("echo out; echo err >&2; exit 255");
    CHECK(output.out == "out\n");
    CHECK(output.err == "err\n");
    CHECK(output.code == 255);
    CHECK(sshd.times_logged("Accepted publickey") == 1);
}

TEST_CASE("without an ssh, and with one that cannot be started, the failure says so") {
    Client client;
    client.aim(22);
    Client::Plan plan;
    plan.program = "";
    CHECK(client.failure(plan).kind == FailureKind::config_no_ssh);
    plan.program = "/no/such/ssh";
    const Failure failure = client.failure(plan);
    CHECK(failure.kind == FailureKind::ssh_failed);
    CHECK(failure.message == "/no/such/ssh: No such file or directory");
}

TEST_CASE("a destination that looks like an option is refused") {
    if (component_missing("ssh")) return;
    Client client;
    client.aim(22);
    client.settings().openssh_destination = "-oProxyCommand=true";
    CHECK(client.failure().kind == FailureKind::config_refused);
}

TEST_CASE("visits by the system's ssh leave no descriptor behind") {
    if (parts_missing()) return;
    Client client;
    const Sshd sshd(client.welcoming());
    client.trust(sshd.known_hosts_line());
    client.aim(sshd.port());
    client.output("true");
    const std::size_t before = open_descriptors();
    client.output("exit 3");
    Client::Plan plan;
    plan.script = stays;
    plan.limit = 100ms;
    CHECK(client.visit(plan).has_value());
    CHECK(open_descriptors() == before);
}
