// What inventory and flags, ssh_config and the defaults come to, with the real ssh.

#include "gpumuster/transport/settings/resolve_settings.hpp"

#include <sys/stat.h>

#include <utility>

#include <fmt/format.h>

#include "config_lab.hpp"
#include "support/catch.hpp"

using namespace gpumuster;
using namespace gpumuster::test;

namespace {

using Words = std::vector<std::string>;

Login login_for(const std::string& config, Host host) {
    ConfigLab lab;
    auto settings = lab.resolve(config, std::move(host));
    REQUIRE(settings.has_value());
    return settings->target;
}

Login login_for(const std::string& config) {
    return login_for(config, host_named("gpu1"));
}

Hop hop_to(const std::string& address) {
    Hop hop;
    hop.address = address;
    return hop;
}

Host host_behind(std::vector<Hop> hops) {
    Host host = host_named("gpu1");
    host.settings.jump = std::move(hops);
    return host;
}

bool has_pair(const Words& words, const std::string& option, const std::string& value) {
    for (std::size_t i = 1; i < words.size(); ++i) {
        if (words[i - 1] == option && words[i] == value) return true;
    }
    return false;
}

}  // namespace

TEST_CASE("inventory and flags win over ssh_config, and ssh_config over the defaults") {
    if (component_missing("ssh")) return;
    const std::string config =
        "Host 10.0.0.7\n HostName 10.0.0.8\n Port 2222\n User joe\n IdentityFile /config/key\n"
        " UserKnownHostsFile /config/known\n GlobalKnownHostsFile none\n";
    Host host = host_named("gpu1");
    host.settings.address = "10.0.0.7";
    Login login = login_for(config, host);
    CHECK(login.name == "gpu1");
    CHECK(login.address == "10.0.0.8");
    CHECK(login.port == 2222);
    CHECK(login.user == "joe");
    CHECK(login.identity_files == Words{"/config/key"});
    CHECK_FALSE(login.identities_are_explicit);
    CHECK_FALSE(login.identities_only);
    CHECK(login.known_hosts_files == Words{"/config/known"});
    CHECK_FALSE(login.known_hosts_are_explicit);
    CHECK(login.new_keys_file == "/config/known");

    host.settings.port = std::uint16_t{22};
    host.settings.user = "anna";
    host.settings.identities = {"/inventory/key"};
    host.settings.known_hosts = {"/inventory/known", "/inventory/known2"};
    login = login_for(config, host);
    CHECK(login.address == "10.0.0.8");
    CHECK(login.port == 22);
    CHECK(login.user == "anna");
    CHECK(login.identity_files == Words{"/inventory/key"});
    CHECK(login.identities_are_explicit);
    CHECK(login.identities_only);
    CHECK(login.known_hosts_files == Words{"/inventory/known", "/inventory/known2"});
    CHECK(login.known_hosts_are_explicit);
    CHECK(login.new_keys_file == "/inventory/known");
}

TEST_CASE("the rule for new host keys comes from StrictHostKeyChecking and the inventory") {
    if (component_missing("ssh")) return;
    struct Row {
        const char* checking;
        std::optional<NewHostKeys> said;
        HostKeyRule rule;
    };
    const std::vector<Row> rows{
        {"ask", {}, HostKeyRule::known_only},
        {"yes", {}, HostKeyRule::known_only},
        {"accept-new", {}, HostKeyRule::accept_new},
        {"no", {}, HostKeyRule::accept_unverified},
        {"off", {}, HostKeyRule::accept_unverified},
        {"yes", NewHostKeys::accept, HostKeyRule::accept_new},
        {"ask", NewHostKeys::accept, HostKeyRule::accept_new},
        {"accept-new", NewHostKeys::refuse, HostKeyRule::known_only},
        {"no", NewHostKeys::refuse, HostKeyRule::known_only},
    };
    for (const Row& row : rows) {
        CAPTURE(row.checking);
        Host host = host_named("gpu1");
        host.settings.new_host_keys = row.said;
        const std::string config = std::string("StrictHostKeyChecking ") + row.checking;
        CHECK(login_for(config, host).host_key_rule == row.rule);
    }
}

TEST_CASE("a known_hosts of /dev/null or none keeps new keys in memory") {
    if (component_missing("ssh")) return;
    Login login = login_for("StrictHostKeyChecking no\nUserKnownHostsFile /dev/null\n");
    CHECK(login.new_keys_file.empty());
    CHECK(login.host_key_rule == HostKeyRule::accept_unverified);
    CHECK(login.known_hosts_files ==
          Words{"/etc/ssh/ssh_known_hosts", "/etc/ssh/ssh_known_hosts2"});
    login = login_for("UserKnownHostsFile none\nGlobalKnownHostsFile /dev/null\n");
    CHECK(login.new_keys_file.empty());
    CHECK(login.known_hosts_files.empty());
    CHECK(login_for("HashKnownHosts yes\n").hash_new_keys);
    CHECK_FALSE(login_for("HashKnownHosts no\n").hash_new_keys);
}

TEST_CASE("the agent is ssh's own, none, another variable's, or a socket by its path") {
    if (component_missing("ssh")) return;
    const auto agent_for = [](const std::string& config) {
        ConfigLab lab;
        lab.defaults.agent_socket = "/run/agent";
        lab.source.variable = [](const std::string& name) -> std::optional<std::string> {
            if (name == "OTHER_AGENT") return "/run/other";
            return {};
        };
        const auto settings = lab.resolve(config, host_named("gpu1"));
        REQUIRE(settings.has_value());
        return settings->target.agent_socket;
    };
    CHECK(agent_for("") == "/run/agent");
    CHECK(agent_for("IdentityAgent SSH_AUTH_SOCK\n") == "/run/agent");
    CHECK(agent_for("IdentityAgent none\n").empty());
    CHECK(agent_for("IdentityAgent $OTHER_AGENT\n") == "/run/other");
    CHECK(agent_for("IdentityAgent $UNSET_AGENT\n").empty());
    CHECK(agent_for("IdentityAgent /run/%n.sock\n") == "/run/gpu1.sock");
    CHECK(agent_for("IdentityAgent ~/agent\n") == ConfigLab().source.home + "/agent");
}

TEST_CASE("what else ssh_config says of a login is taken over") {
    if (component_missing("ssh")) return;
    const Login plain = login_for("");
    CHECK(plain.may_use_public_key);
    CHECK(plain.smallest_rsa_bits == 1024);
    CHECK_FALSE(plain.connect_timeout.has_value());
    CHECK(plain.algorithms.ciphers.empty());
    CHECK(plain.algorithms.key_exchanges.empty());
    CHECK(plain.algorithms.host_keys.empty());
    CHECK(plain.algorithms.macs.empty());
    CHECK(plain.algorithms.public_keys.empty());

    const Login login = login_for(
        "PubkeyAuthentication no\nRequiredRSASize 3072\nConnectTimeout 7\nIdentitiesOnly yes\n"
        "Ciphers aes128-ctr\nKexAlgorithms curve25519-sha256\nMACs hmac-sha2-256\n"
        "HostKeyAlgorithms ssh-ed25519\nPubkeyAcceptedAlgorithms ssh-ed25519\n"
        "HostKeyAlias the-key\nCertificateFile /c\n");
    CHECK_FALSE(login.may_use_public_key);
    CHECK(login.smallest_rsa_bits == 3072);
    CHECK(login.connect_timeout == std::chrono::seconds(7));
    CHECK(login.identities_only);
    CHECK(login.algorithms.ciphers == "aes128-ctr");
    CHECK(login.algorithms.key_exchanges == "curve25519-sha256");
    CHECK(login.algorithms.macs == "hmac-sha2-256");
    CHECK(login.algorithms.host_keys == "ssh-ed25519");
    CHECK(login.algorithms.public_keys == "ssh-ed25519");
    CHECK(login.host_key_alias == "the-key");
    CHECK(login.certificate_files == Words{"/c"});
    CHECK_FALSE(login_for("PreferredAuthentications password\n").may_use_public_key);
    CHECK(login_for("PreferredAuthentications password,publickey\n").may_use_public_key);
}

TEST_CASE("a hop's settings are its own, then the host's, then those of ssh_config") {
    if (component_missing("ssh")) return;
    const std::string config =
        "Host door\n User ops\n Port 2200\n IdentityFile /config/door\n"
        " UserKnownHostsFile /config/known\n GlobalKnownHostsFile none\n";
    ConfigLab lab;
    auto settings = lab.resolve(config, host_behind({hop_to("door")}));
    REQUIRE(settings.has_value());
    REQUIRE(settings->hops.size() == 1);
    CHECK(settings->hops[0].name == "door");
    CHECK(settings->hops[0].user == "ops");
    CHECK(settings->hops[0].port == 2200);
    CHECK(settings->hops[0].identity_files == Words{"/config/door"});
    CHECK(settings->hops[0].known_hosts_files == Words{"/config/known"});

    Host host = host_behind({hop_to("door")});
    host.settings.user = "root";
    host.settings.port = std::uint16_t{7};
    host.settings.identities = {"/host/key"};
    host.settings.known_hosts = {"/host/known"};
    settings = lab.resolve(config, host);
    REQUIRE(settings.has_value());
    // User and port of the host are not those of the way to it.
    CHECK(settings->hops[0].user == "ops");
    CHECK(settings->hops[0].port == 2200);
    CHECK(settings->hops[0].identity_files == Words{"/host/key"});
    CHECK(settings->hops[0].identities_are_explicit);
    CHECK(settings->hops[0].known_hosts_files == Words{"/host/known"});

    Hop& door = host.settings.jump->front();
    door.user = "anna";
    door.port = std::uint16_t{22};
    door.identities = {"/hop/key"};
    door.known_hosts = {"/hop/known"};
    settings = lab.resolve(config, host);
    REQUIRE(settings.has_value());
    CHECK(settings->hops[0].user == "anna");
    CHECK(settings->hops[0].port == 22);
    CHECK(settings->hops[0].identity_files == Words{"/hop/key"});
    CHECK(settings->hops[0].known_hosts_files == Words{"/hop/known"});
    CHECK(settings->target.identity_files == Words{"/host/key"});
}

TEST_CASE("hops that ssh_config names have the keys of the inventory's host as well") {
    if (component_missing("ssh")) return;
    ConfigLab lab;
    Host host = host_named("gpu1");
    host.settings.identities = {"/host/key"};
    host.settings.new_host_keys = NewHostKeys::accept;
    const auto settings = lab.resolve("Host gpu1\n ProxyJump ops@door:2200\n", host);
    REQUIRE(settings.has_value());
    REQUIRE(settings->hops.size() == 1);
    CHECK(settings->hops[0].user == "ops");
    CHECK(settings->hops[0].port == 2200);
    CHECK(settings->hops[0].identity_files == Words{"/host/key"});
    CHECK(settings->hops[0].host_key_rule == HostKeyRule::accept_new);
}

TEST_CASE("an empty list of hops goes straight, whatever ssh_config says") {
    if (component_missing("ssh")) return;
    for (const char* config : {"ProxyJump door\n", "ProxyCommand nc %h %p\n", "ProxyJump gpu1\n"}) {
        CAPTURE(config);
        ConfigLab lab;
        const auto settings = lab.resolve(config, host_behind({}));
        REQUIRE(settings.has_value());
        CHECK(settings->hops.empty());
        CHECK(settings->transport == TransportKind::libssh);
    }
}

TEST_CASE("jump hosts that lead in a circle, or over too many, are refused with the chain") {
    if (component_missing("ssh")) return;
    ConfigLab lab;
    auto settings =
        lab.resolve("Host gpu1\n ProxyJump a\nHost a\n ProxyJump b\nHost b\n ProxyJump a\n",
                    host_named("gpu1"));
    REQUIRE_FALSE(settings.has_value());
    CHECK(settings.error().kind == FailureKind::config_failed);
    CHECK(settings.error().message == "ProxyJump leads in a circle: gpu1 > a > b > a");

    std::string config;
    for (int i = 1; i <= 9; ++i) {
        config += fmt::format("Host gpu{}\n ProxyJump gpu{}\n", i, i + 1);
    }
    settings = lab.resolve(config, host_named("gpu1"));
    REQUIRE_FALSE(settings.has_value());
    CHECK(settings.error().kind == FailureKind::config_failed);
    CHECK_THAT(settings.error().message, ContainsSubstring("more than 8 jump hosts: gpu1 > gpu2"));
    settings = lab.resolve(config, host_named("gpu2"));
    REQUIRE(settings.has_value());
    CHECK(settings->hops.size() == 8);

    settings = lab.resolve("Host gpu1\n ProxyJump gpu1\n", host_named("gpu1"));
    REQUIRE_FALSE(settings.has_value());
    CHECK(settings.error().kind == FailureKind::config_refused);
    CHECK(settings.error().message == "ssh says: jumphost loop via gpu1");

    // ssh itself sees no loop where the name is not the address.
    settings = lab.resolve("Host gpu1\n HostName x\n ProxyJump gpu1\n", host_named("gpu1"));
    REQUIRE_FALSE(settings.has_value());
    CHECK(settings.error().message == "ProxyJump leads in a circle: gpu1 > gpu1");

    // A name that grows at each step is no circle.
    settings = lab.resolve("ProxyJump door-%h\n", host_named("gpu1"));
    REQUIRE_FALSE(settings.has_value());
    CHECK_THAT(settings.error().message, ContainsSubstring("more than 8 jump hosts"));
}

TEST_CASE("a hop that ssh refuses fails the hosts behind it, names the hop, and nobody else") {
    if (component_missing("ssh")) return;
    ConfigLab lab;
    lab.configure("Host gpu1\n ProxyJump a,door\nMatch host door\n UserKnownHostsFile ~/%Z\n");
    const ResolvedTargets resolved = lab.resolve_all({host_named("gpu1"), host_named("gpu2")});
    REQUIRE(resolved.targets.size() == 2);
    REQUIRE_FALSE(resolved.targets[0].settings.has_value());
    const Failure& failure = resolved.targets[0].settings.error();
    CHECK(failure.kind == FailureKind::config_refused);
    CHECK(failure.hop.index == 2);
    CHECK(failure.hop.name == "door");
    CHECK(failure.hop.ssh_arguments == "-F " + *lab.source.file + " -J a door");
    CHECK_THAT(failure.next_step, ContainsSubstring("ssh -G -F "));
    CHECK(resolved.targets[1].settings.has_value());
    CHECK(resolved.targets[1].host.name == "gpu2");
    CHECK(resolved.notes.empty());
}

TEST_CASE("what libssh cannot do goes by the system's ssh, and the report can say why") {
    if (component_missing("ssh")) return;
    const std::vector<std::pair<std::string, std::string>> rows{
        {"ProxyCommand nc %h %p\n", "ProxyCommand in ssh_config"},
        {"PKCS11Provider /lib/p.so\n", "PKCS11Provider in ssh_config"},
        {"BindAddress 127.0.0.1\n", "BindAddress in ssh_config"},
        {"AddressFamily inet\n", "AddressFamily in ssh_config"},
        {"RevokedHostKeys ~/revoked\n", "RevokedHostKeys in ssh_config"},
        {"HostbasedAuthentication yes\n", "HostbasedAuthentication in ssh_config"},
        {"VerifyHostKeyDNS ask\n", "VerifyHostKeyDNS in ssh_config"},
        {"NoHostAuthenticationForLocalhost yes\n",
         "NoHostAuthenticationForLocalhost in ssh_config"},
        {"KnownHostsCommand /bin/cat %H\n", "KnownHostsCommand in ssh_config"},
        {"MACs umac-64@openssh.com\n", "MACs in ssh_config"},
        {"GSSAPIAuthentication yes\n", "GSSAPIAuthentication with a Kerberos ticket"},
        {"Host gpu1\n ProxyJump door\nHost door\n ProxyCommand nc %h %p\n",
         "ProxyCommand in ssh_config for the jump host door"},
    };
    for (const auto& [config, reason] : rows) {
        CAPTURE(config);
        ConfigLab lab;
        lab.source.has_kerberos_ticket = true;
        lab.defaults.agent_socket = "/run/agent";
        Host host = host_named("gpu1");
        const auto settings = lab.resolve(config, host);
        REQUIRE(settings.has_value());
        CHECK(settings->transport == TransportKind::openssh);
        CHECK(settings->transport_reason == reason);

        host.settings.transport = TransportChoice::libssh;
        const auto refused = lab.resolve(config, host);
        REQUIRE_FALSE(refused.has_value());
        CHECK(refused.error().kind == FailureKind::config_unsupported);
        CHECK_THAT(refused.error().message, ContainsSubstring(reason));
    }
}

TEST_CASE("a later hop's ProxyCommand is no need, because the list is the way to it") {
    if (component_missing("ssh")) return;
    ConfigLab lab;
    const auto settings = lab.resolve("Host gpu1\n ProxyJump a,b\nHost b\n ProxyCommand nc %h %p\n",
                                      host_named("gpu1"));
    REQUIRE(settings.has_value());
    CHECK(settings->transport == TransportKind::libssh);
    CHECK(settings->transport_reason.empty());
    CHECK(settings->hops.size() == 2);
}

TEST_CASE("a security key needs the system's ssh; among ssh's own only where nothing else is") {
    if (component_missing("ssh")) return;
    ConfigLab lab;
    const std::string line = "sk-ssh-ed25519@openssh.com AAAAGnNr\n";
    const std::string key = lab.folder.write("token", line);
    auto settings = lab.resolve("IdentityFile " + key + "\n", host_named("gpu1"));
    REQUIRE(settings.has_value());
    CHECK(settings->transport == TransportKind::openssh);
    CHECK(settings->transport_reason == "security key " + key);

    Host host = host_named("gpu1");
    host.settings.identities = {key};
    settings = lab.resolve("", host);
    REQUIRE(settings.has_value());
    CHECK(settings->transport_reason == "security key " + key);
    lab.source.is_read = false;
    settings = lab.resolve(host);
    REQUIRE(settings.has_value());
    CHECK(settings->transport_reason == "security key " + key);

    // ssh's own list is looked for in the home that ~ stands for.
    ConfigLab other;
    other.source.home = other.folder.path();
    REQUIRE(::mkdir(other.folder.file(".ssh").c_str(), 0700) == 0);
    other.folder.write(".ssh/id_ed25519_sk", line);
    settings = other.resolve("", host_named("gpu1"));
    REQUIRE(settings.has_value());
    CHECK(settings->transport_reason == "security key " + other.folder.file(".ssh/id_ed25519_sk"));
    other.defaults.agent_socket = "/run/agent";
    settings = other.resolve("", host_named("gpu1"));
    REQUIRE(settings.has_value());
    CHECK(settings->transport == TransportKind::libssh);
    other.defaults.agent_socket.clear();
    other.folder.write(".ssh/id_rsa", "x");
    settings = other.resolve("", host_named("gpu1"));
    REQUIRE(settings.has_value());
    CHECK(settings->transport == TransportKind::libssh);
}

TEST_CASE("the system's ssh is ready to take over, with all that inventory and flags say") {
    if (component_missing("ssh")) return;
    ConfigLab lab;
    Host host = host_behind({hop_to("door")});
    host.settings.address = "10.0.0.7";
    host.settings.user = "anna";
    host.settings.identities = {"/host/key"};
    const auto settings = lab.resolve("", host);
    REQUIRE(settings.has_value());
    CHECK(settings->transport == TransportKind::libssh);
    CHECK(settings->openssh_destination == "10.0.0.7");
    CHECK(settings->openssh_arguments == Words{"-F", *lab.source.file, "-J", "door", "-l", "anna",
                                               "-i", "/host/key", "-o", "IdentitiesOnly=yes"});

    host.settings.transport = TransportChoice::openssh;
    const auto chosen = lab.resolve("", host);
    REQUIRE(chosen.has_value());
    CHECK(chosen->transport == TransportKind::openssh);
    CHECK(chosen->transport_reason == "asked for");
}

TEST_CASE("hops with keys of their own cannot go by the system's ssh") {
    if (component_missing("ssh")) return;
    ConfigLab lab;
    Host host = host_behind({hop_to("door")});
    host.settings.jump->front().identities = {"/door/key"};
    auto settings = lab.resolve("", host);
    REQUIRE(settings.has_value());
    CHECK(settings->openssh_destination.empty());
    settings = lab.resolve("Host gpu1\n BindAddress 127.0.0.1\n", host);
    REQUIRE_FALSE(settings.has_value());
    CHECK(settings.error().kind == FailureKind::config_unsupported);
    CHECK_THAT(settings.error().message, ContainsSubstring("the jump host door"));
    CHECK_THAT(settings.error().message, ContainsSubstring("BindAddress in ssh_config"));
    CHECK_THAT(settings.error().next_step, ContainsSubstring("ssh_config"));
}

TEST_CASE("the way by hand is what the user would type, and leaves the rest to ssh_config") {
    if (component_missing("ssh")) return;
    ConfigLab lab;
    const auto settings =
        lab.resolve("Host gpu1\n HostName 10.0.0.7\n User joe\n Port 2222\n ProxyJump a,ops@b\n",
                    host_named("gpu1"));
    REQUIRE(settings.has_value());
    const std::string file = "-F " + *lab.source.file + " ";
    CHECK(settings->target.ssh_arguments == file + "gpu1");
    REQUIRE(settings->hops.size() == 2);
    CHECK(settings->hops[0].ssh_arguments == file + "a");
    CHECK(settings->hops[1].ssh_arguments == file + "-J a ops@b");
}

TEST_CASE("without ssh_config the inventory and the defaults alone count") {
    ConfigLab lab;
    lab.configure("User joe\nProxyJump door\n");
    lab.source.is_read = false;
    const ResolvedTargets resolved = lab.resolve_all({host_named("gpu1")});
    CHECK(resolved.notes.empty());
    REQUIRE(resolved.targets[0].settings.has_value());
    const EffectiveSettings& settings = *resolved.targets[0].settings;
    CHECK(settings.target.user == lab.defaults.user);
    CHECK(settings.hops.empty());
    CHECK(settings.target.identity_files == lab.defaults.identity_files);
    if (component_missing("ssh")) return;
    CHECK(has_pair(settings.openssh_arguments, "-F", "none"));
}

TEST_CASE("without an ssh the report says so once, and what needs one fails") {
    ConfigLab lab;
    lab.configure("User joe\n");
    lab.source.ssh_program.clear();
    Host by_ssh = host_named("gpu3");
    by_ssh.settings.transport = TransportChoice::openssh;
    ResolvedTargets resolved = lab.resolve_all({host_named("gpu1"), host_named("gpu2"), by_ssh});
    CHECK(resolved.notes == Words{"no ssh on this machine: ssh_config is not read"});
    REQUIRE(resolved.targets[0].settings.has_value());
    CHECK(resolved.targets[0].settings->target.user == lab.defaults.user);
    CHECK(resolved.targets[0].settings->openssh_destination.empty());
    REQUIRE_FALSE(resolved.targets[2].settings.has_value());
    CHECK(resolved.targets[2].settings.error().kind == FailureKind::config_no_ssh);

    lab.source.is_read = false;
    CHECK(lab.resolve_all({host_named("gpu1")}).notes.empty());
}

TEST_CASE("ssh is not asked about this machine itself") {
    ConfigLab lab;
    lab.source.ssh_program = "/nonexistent/ssh";
    Host host = host_named("here");
    host.reach = Reach::local;
    const ResolvedTargets resolved = lab.resolve_all({host});
    CHECK(resolved.notes.empty());
    REQUIRE(resolved.targets[0].settings.has_value());
    CHECK(resolved.targets[0].settings->transport == TransportKind::local);
}
