// Jump hosts: real sshds as bastions, real and simulated hosts behind them.

#include <algorithm>

#include "crowd.hpp"
#include "gpumuster/transport/ssh/open_failure.hpp"
#include "support/catch.hpp"
#include "support/components.hpp"
#include "support/descriptors.hpp"
#include "support/listener.hpp"
#include "support/sshd.hpp"

using namespace gpumuster;
using namespace gpumuster::test;
using namespace std::chrono_literals;

namespace {

std::size_t logins(const Sshd& sshd) {
    return sshd.times_logged("Accepted publickey");
}

// A client key, and sshds that accept it and are known.
class Lab {
public:
    explicit Lab(const std::string& bastion_config = {}) { bastion_ = add(bastion_config); }

    std::size_t add(const std::string& extra_config = {}) {
        SshdOptions options;
        options.authorized_key = key_.public_line;
        options.extra_config = extra_config;
        sshds_.push_back(std::make_unique<Sshd>(options));
        trusted_ += sshds_.back()->known_hosts_line() + "\n";
        return sshds_.size() - 1;
    }
    Sshd& sshd(std::size_t index) { return *sshds_[index]; }
    Sshd& bastion() { return sshd(bastion_); }

    Hop hop(std::size_t index) {
        Hop hop;
        hop.address = "127.0.0.1";
        hop.port = sshd(index).port();
        hop.user = current_user();
        return hop;
    }

    Host host(std::uint16_t port, std::vector<Hop> jump) {
        Host host;
        host.name = "target" + std::to_string(++hosts_);
        host.settings.address = "127.0.0.1";
        host.settings.port = port;
        host.settings.user = current_user();
        host.settings.identities = {key_.path};
        host.settings.known_hosts = {folder_.write("known_hosts", trusted_)};
        host.settings.jump = std::move(jump);
        return host;
    }
    Host behind_bastion(std::size_t index) { return host(sshd(index).port(), {hop(bastion_)}); }

    // Simulated hosts behind the bastion, with the key that they take.
    Host simulated(const SimulatedLab& simulation, const std::string& name) {
        Host host = simulation.host(name);
        Hop way = hop(bastion_);
        way.identities = {key_.path};
        way.known_hosts = {folder_.write("known_hosts", trusted_)};
        host.settings.jump = std::vector<Hop>{way};
        return host;
    }

private:
    TempDir folder_;
    ClientKey key_ = make_client_key(folder_, "key");
    std::string trusted_;
    std::vector<std::unique_ptr<Sshd>> sshds_;
    std::size_t bastion_ = 0;
    int hosts_ = 0;
};

bool sshd_missing() {
    return component_missing("sshd") || component_missing("ssh-keygen");
}

}  // namespace

TEST_CASE("fifty hosts behind a bastion share one login to it") {
    if (sshd_missing()) return;
    Lab lab;
    sim::Scenario scenario = sim::clean_scenario(50, 0ms);
    SimulatedLab simulation(scenario);
    std::vector<Target> targets;
    for (const sim::SimulatedHost& host : scenario.hosts) {
        targets.push_back(target_of(lab.simulated(simulation, host.name)));
    }
    Crowd crowd(targets);
    const auto outcomes = crowd.visit_all({script("nvidia-smi -L")});
    for (const VisitOutcome& outcome : outcomes) {
        INFO((outcome.failure ? outcome.failure->message : ""));
        CHECK_FALSE(outcome.failure);
    }
    CHECK(logins(lab.bastion()) == 1);
}

TEST_CASE("three hops deep, each under its own name, works and shares what it can") {
    if (sshd_missing()) return;
    Lab lab;
    const std::size_t second = lab.add();
    const std::size_t third = lab.add();
    const std::size_t target = lab.add();
    const std::vector<Hop> way{lab.hop(0), lab.hop(second), lab.hop(third)};
    Crowd crowd(targets_of(
        {lab.host(lab.sshd(target).port(), way), lab.host(lab.sshd(target).port(), way)}));
    const auto outcomes = crowd.visit_all({script("echo through")});
    for (const VisitOutcome& outcome : outcomes) {
        REQUIRE_FALSE(outcome.failure);
        CHECK(outcome.outputs[0].out == "through\n");
    }
    CHECK(logins(lab.bastion()) == 1);
    CHECK(logins(lab.sshd(second)) == 1);
    CHECK(logins(lab.sshd(third)) == 1);
    CHECK(logins(lab.sshd(target)) == 2);
}

TEST_CASE("a megabyte comes through a tunnel whole") {
    if (sshd_missing()) return;
    Lab lab;
    const std::size_t target = lab.add();
    Crowd crowd(targets_of({lab.behind_bastion(target), lab.behind_bastion(target)}));
    const auto outcomes =
        crowd.visit_all({script("head -c 1000000 /dev/zero | tr '\\0' x; echo end >&2")});
    for (const VisitOutcome& outcome : outcomes) {
        REQUIRE_FALSE(outcome.failure);
        CHECK(outcome.outputs[0].out == std::string(1'000'000, 'x'));
        CHECK(outcome.outputs[0].err == "end\n");
        CHECK(outcome.outputs[0].ending == Ending::exited);
    }
}

TEST_CASE("one slow host behind a hop keeps nobody else from finishing") {
    if (sshd_missing()) return;
    Lab lab;
    const std::size_t quick = lab.add();
    FakeServer mute(silent());
    Crowd crowd(targets_of({lab.host(mute.port(), {lab.hop(0)}), lab.behind_bastion(quick)}));
    crowd.budgets.handshake = 700ms;
    const auto outcomes = crowd.visit_all({script("echo quick")});
    REQUIRE(outcomes[0].failure);
    CHECK(outcomes[0].failure->kind == FailureKind::handshake_timeout);
    CHECK(outcomes[0].failure->hop.index == 0);
    REQUIRE_FALSE(outcomes[1].failure);
    CHECK(outcomes[1].outputs[0].out == "quick\n");
}

TEST_CASE("a target that refuses behind the hop is told from a hop that refuses") {
    if (sshd_missing()) return;
    Lab lab;
    const Listener closed = refuse_on_loopback();
    Hop gone = lab.hop(0);
    gone.port = closed.port;
    Crowd crowd(targets_of({lab.host(closed.port, {lab.hop(0)}), lab.host(22, {gone})}));
    const auto outcomes = crowd.visit_all({script("true")});
    REQUIRE(outcomes[0].failure);
    CHECK(outcomes[0].failure->kind == FailureKind::connect_refused);
    CHECK(outcomes[0].failure->hop.index == 0);
    CHECK(outcomes[0].failure->message.find("as seen from 127.0.0.1") != std::string::npos);
    REQUIRE(outcomes[1].failure);
    CHECK(outcomes[1].failure->kind == FailureKind::connect_refused);
    CHECK(outcomes[1].failure->hop.index == 1);
}

TEST_CASE("a bastion that forbids forwarding says so once, in the same words for every host") {
    if (sshd_missing()) return;
    Lab lab("AllowTcpForwarding no\n");
    const std::size_t target = lab.add();
    Crowd crowd(targets_of({lab.behind_bastion(target), lab.behind_bastion(target)}));
    const auto outcomes = crowd.visit_all({script("true")});
    for (const VisitOutcome& outcome : outcomes) {
        REQUIRE(outcome.failure);
        CHECK(outcome.failure->kind == FailureKind::hop_forwarding_forbidden);
        CHECK(outcome.failure->stage == Stage::channel);
        CHECK(outcome.failure->hop.index == 1);
        CHECK(outcome.failure->message == outcomes[0].failure->message);
    }
    CHECK(logins(lab.bastion()) == 1);
}

TEST_CASE("MaxSessions does not limit what goes through a bastion") {
    if (sshd_missing()) return;
    Lab lab("MaxSessions 0\n");
    const std::size_t target = lab.add();
    Crowd crowd(targets_of({lab.behind_bastion(target), lab.behind_bastion(target)}));
    for (const VisitOutcome& outcome : crowd.visit_all({script("true")})) {
        CHECK_FALSE(outcome.failure);
    }
}

TEST_CASE("a login that the hop refuses is not tried again for the next host") {
    if (sshd_missing()) return;
    Lab lab("AllowUsers nobody-of-that-name\n");
    const std::size_t target = lab.add();
    Crowd crowd(targets_of(
        {lab.behind_bastion(target), lab.behind_bastion(target), lab.behind_bastion(target)}));
    for (const VisitOutcome& outcome : crowd.visit_all({script("true")})) {
        REQUIRE(outcome.failure);
        CHECK(outcome.failure->kind == FailureKind::auth_denied);
        CHECK(outcome.failure->hop.index == 1);
    }
    CHECK(lab.bastion().times_logged("Connection from") == 1);
}

TEST_CASE("a new key that was accepted is said even when the login is refused after it") {
    if (sshd_missing()) return;
    Lab lab;
    const std::size_t target = lab.add("AllowUsers nobody-of-that-name\n");
    const TempDir folder;
    Host host = lab.host(lab.sshd(target).port(), {lab.hop(0)});
    host.settings.known_hosts = {folder.write("known_hosts", "")};
    host.settings.new_host_keys = NewHostKeys::accept;
    Crowd crowd(targets_of({host}));
    const auto outcomes = crowd.visit_all({script("true")});
    REQUIRE(outcomes[0].failure);
    CHECK(outcomes[0].failure->kind == FailureKind::auth_denied);
    REQUIRE(outcomes[0].remarks.size() == 2);
    CHECK(outcomes[0].remarks[0].kind == RemarkKind::host_key_added);
    CHECK(outcomes[0].remarks[0].hop.index == 1);
    CHECK(outcomes[0].remarks[1].hop.index == 0);
}

TEST_CASE("a target that swallows what the hop sends it ends at our own deadline") {
    if (sshd_missing()) return;
    Lab lab;
    const DeafListener deaf = deaf_on_loopback();
    const std::size_t target = lab.add();
    Crowd crowd(
        targets_of({lab.host(deaf.listener.port, {lab.hop(0)}), lab.behind_bastion(target)}));
    crowd.budgets.connect = 600ms;
    const auto outcomes = crowd.visit_all({script("echo fine")});
    REQUIRE(outcomes[0].failure);
    CHECK(outcomes[0].failure->kind == FailureKind::connect_timeout);
    CHECK(outcomes[0].failure->hop.index == 0);
    CHECK_FALSE(outcomes[1].failure);
}

TEST_CASE(
    "a bastion that dies takes its hosts with it at once, and it is the bastion that is named") {
    if (sshd_missing()) return;
    Lab lab;
    const std::size_t target = lab.add();
    Crowd crowd(targets_of({lab.behind_bastion(target), lab.behind_bastion(target)}));
    std::size_t open = 0;
    crowd.on_open = [&](std::size_t) {
        if (++open == 2) lab.bastion().kill();
    };
    const auto started = std::chrono::steady_clock::now();
    const auto outcomes = crowd.visit_all({script("sleep 20")});
    CHECK(std::chrono::steady_clock::now() - started < 15s);
    for (const VisitOutcome& outcome : outcomes) {
        REQUIRE(outcome.failure);
        CHECK(outcome.failure->kind == FailureKind::hop_lost);
        CHECK(outcome.failure->hop.index == 1);
    }
}

TEST_CASE("an interrupted crowd leaves nothing open and joins everything") {
    if (sshd_missing()) return;
    Lab lab;
    const std::size_t target = lab.add();
    const std::size_t before = open_descriptors();
    {
        std::vector<Host> hosts;
        for (int i = 0; i < 6; ++i) hosts.push_back(lab.behind_bastion(target));
        Crowd crowd(targets_of(hosts));
        std::size_t open = 0;
        crowd.on_open = [&](std::size_t) {
            if (++open == 3) crowd.stop().request_stop();
        };
        for (const VisitOutcome& outcome : crowd.visit_all({script("sleep 20")})) {
            const bool was_cut =
                !outcome.outputs.empty() && outcome.outputs[0].ending == Ending::cancelled;
            const bool was_stopped =
                outcome.failure && outcome.failure->kind == FailureKind::run_interrupted;
            CHECK((was_cut || was_stopped));
        }
    }
    CHECK(open_descriptors() == before);
}

TEST_CASE("what a hop says of a target stands at the target, what it says of itself at the hop") {
    HopRef hop;
    hop.index = 1;
    hop.name = "bastion";
    hop.ssh_arguments = "bastion";
    HopRef target;
    target.name = "gpu1";
    const auto kind = [&](const std::string& text) {
        return refused_opening("Channel opening failure: channel 43 " + text, hop, target, "gpu1",
                               22)
            .kind;
    };
    CHECK(kind("error (2) Connection refused") == FailureKind::connect_refused);
    CHECK(kind("error (2) Connection timed out") == FailureKind::connect_timeout);
    CHECK(kind("error (2) No route to host") == FailureKind::connect_no_route);
    CHECK(kind("error (2) Network is unreachable") == FailureKind::connect_no_route);
    CHECK(kind("error (2) Name or service not known") == FailureKind::resolve_not_found);
    CHECK(kind("error (2) Temporary failure in name resolution") == FailureKind::resolve_failed);
    CHECK(kind("error (2) something new") == FailureKind::connect_failed);
    CHECK(kind("error (1) open failed") == FailureKind::hop_forwarding_forbidden);
    CHECK(kind("error (2) open failed") == FailureKind::connect_no_route);
    CHECK(kind("error (4) Resource shortage") == FailureKind::hop_no_channel);
}
