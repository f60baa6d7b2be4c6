// The same odd ssh_config tried by ssh and by gpumuster. The table in docs/routes.md has a row for
// each, and each row is looked for there.

#include <functional>

#include "e2e/inspection.hpp"

using namespace gpumuster::test;

#define AS_SSH(name) TEST_CASE("as ssh does: " name)

namespace {

enum class Outcome { connects, refuses };

std::string word(Outcome outcome) {
    return outcome == Outcome::connects ? "connects" : "refuses";
}

using Change = std::function<void(Client&, SshdOptions&)>;

// One client and the sshd that "node" leads to.
class Bench {
public:
    explicit Bench(const Change& change = {}) {
        SshdOptions options = open_to(client_);
        if (change) change(client_, options);
        sshd_ = std::make_unique<Sshd>(options);
        client_.know(sshd_->known_hosts_line());
    }

    Client& client() { return client_; }
    const Sshd& sshd() const { return *sshd_; }
    std::string name_in_known_hosts() const {
        return "[127.0.0.1]:" + std::to_string(sshd_->port());
    }

    // The usual lines about a host; the first that says something counts.
    std::string address() const {
        return "HostName 127.0.0.1\nPort " + std::to_string(sshd_->port()) + "\nUser " +
               current_user() + "\n";
    }
    std::string key() const { return "IdentityFile " + client_.key().path + "\n"; }
    std::string trust() const {
        return "UserKnownHostsFile " + client_.known_hosts_file() +
               "\nGlobalKnownHostsFile /dev/null\n";
    }
    std::string node(const std::string& more = {}) const {
        return "Host node\n" + more + address() + key() + trust();
    }

    // `row` is what docs/routes.md calls it.
    void check(const std::string& row, const std::string& config, Outcome of_ssh,
               Outcome of_gpumuster) {
        const ProgramResult by_ssh = client_.ssh_by_config(config, "node");
        INFO(by_ssh.err);
        CHECK((by_ssh.status == 0) == (of_ssh == Outcome::connects));
        const Inspection by_us = client_.inspect_by_config(config, {"node"});
        INFO(by_us.report.dump());
        CHECK((by_us.host("node").at("verdict") == "clean") == (of_gpumuster == Outcome::connects));
        CHECK_THAT(read_file(GPUMUSTER_SOURCE_DIR "/docs/routes.md"),
                   ContainsSubstring("| " + row + " | " + word(of_ssh) + " | " +
                                     word(of_gpumuster) + " |"));
    }
    void check(const std::string& row, const std::string& config, Outcome of_both) {
        check(row, config, of_both, of_both);
    }

private:
    Client client_;
    std::unique_ptr<Sshd> sshd_;
};

// A real ssh-agent that holds one key.
class Agent {
public:
    Agent(Client& client, const ClientKey& key) {
        const std::string socket = client.folder().file("agent");
        ProgramOrder order;
        order.argv = {"ssh-agent", "-D", "-a", socket};
        program_ =
            std::make_unique<BackgroundProgram>(order, folder_.file("out"), folder_.file("err"));
        REQUIRE(wait_for_text(folder_.file("out"), "SSH_AUTH_SOCK", *program_));
        ProgramOrder add;
        add.argv = {"ssh-add", "-q", key.path};
        add.environment["SSH_AUTH_SOCK"] = socket;
        REQUIRE(run_program(add).status == 0);
        client.set("SSH_AUTH_SOCK", socket);
    }

private:
    TempDir folder_;
    std::unique_ptr<BackgroundProgram> program_;
};

bool ssh_missing() {
    return sshd_missing() || component_missing("ssh");
}

}  // namespace

AS_SSH("HostName and Port behind an alias") {
    if (ssh_missing()) return;
    Bench bench;
    bench.check("HostName, Port and User of an alias", bench.node(), Outcome::connects);
}

AS_SSH("two IdentityFile") {
    if (ssh_missing()) return;
    Bench bench;
    const ClientKey bad = make_client_key(bench.client().folder(), "bad");
    bench.check("two `IdentityFile`, the second of which is accepted",
                bench.node("IdentityFile " + bad.path + "\n"), Outcome::connects);
}

AS_SSH("a key that only the agent has") {
    if (ssh_missing() || component_missing("ssh-agent")) return;
    Bench bench;
    const Agent agent(bench.client(), bench.client().key());
    bench.check("no `IdentityFile`, the key is in the agent",
                "Host node\nIdentityFile none\n" + bench.address() + bench.trust(),
                Outcome::connects);
}

AS_SSH("IdentitiesOnly that names a key of the agent") {
    if (ssh_missing() || component_missing("ssh-agent")) return;
    Bench bench;
    const Agent agent(bench.client(), bench.client().key());
    const std::string public_half =
        bench.client().folder().write("half.pub", bench.client().key().public_line + "\n");
    bench.check("`IdentitiesOnly`, `IdentityFile` is the public half of a key in the agent",
                "Host node\nIdentitiesOnly yes\nIdentityFile " + public_half + "\n" +
                    bench.address() + bench.trust(),
                Outcome::connects);
}

AS_SSH("IdentitiesOnly that keeps the agent's key back") {
    if (ssh_missing() || component_missing("ssh-agent")) return;
    Bench bench;
    const Agent agent(bench.client(), bench.client().key());
    const ClientKey bad = make_client_key(bench.client().folder(), "bad");
    bench.check("`IdentitiesOnly`, only the agent has the key that is accepted",
                "Host node\nIdentitiesOnly yes\nIdentityFile " + bad.path + "\n" + bench.address() +
                    bench.trust(),
                Outcome::refuses);
}

AS_SSH("ProxyJump by an alias") {
    if (ssh_missing()) return;
    Bench bench;
    const Sshd hop(open_to(bench.client()));
    bench.client().know(hop.known_hosts_line());
    bench.check("`ProxyJump` that names an alias",
                bench.node("ProxyJump door\n") + "Host door\nHostName 127.0.0.1\nPort " +
                    std::to_string(hop.port()) + "\nUser " + current_user() + "\n" + bench.key() +
                    bench.trust(),
                Outcome::connects);
    CHECK(hop.times_logged("Accepted publickey") == 2);
}

AS_SSH("ProxyCommand") {
    if (ssh_missing()) return;
    Bench bench;
    const Sshd hop(open_to(bench.client()));
    bench.client().know(hop.known_hosts_line());
    bench.check("`ProxyCommand`",
                bench.node("ProxyCommand ssh -F " + bench.client().folder().file("config") +
                           " -o BatchMode=yes -W %h:%p door\n") +
                    "Host door\nHostName 127.0.0.1\nPort " + std::to_string(hop.port()) +
                    "\nUser " + current_user() + "\n" + bench.key() + bench.trust(),
                Outcome::connects);
}

AS_SSH("HostKeyAlias") {
    if (ssh_missing()) return;
    Bench bench;
    bench.client().know_only("gpu-pool " + bench.sshd().host_key());
    bench.check("`HostKeyAlias`", bench.node("HostKeyAlias gpu-pool\n"), Outcome::connects);
}

AS_SSH("two UserKnownHostsFile") {
    if (ssh_missing()) return;
    Bench bench;
    const std::string first = bench.client().folder().write("first", "");
    bench.check(
        "two `UserKnownHostsFile`, the second has the key",
        bench.node("UserKnownHostsFile " + first + " " + bench.client().known_hosts_file() + "\n"),
        Outcome::connects);
}

AS_SSH("a hashed known_hosts") {
    if (ssh_missing()) return;
    Bench bench;
    const std::string file =
        bench.client().folder().write("hashed", bench.sshd().known_hosts_line() + "\n");
    ProgramOrder hash;
    hash.argv = {"ssh-keygen", "-q", "-H", "-f", file};
    REQUIRE(run_program(hash).status == 0);
    bench.check("hashed names in known_hosts", bench.node("UserKnownHostsFile " + file + "\n"),
                Outcome::connects);
}

AS_SSH("a host key that only an authority vouches for") {
    if (ssh_missing()) return;
    Bench bench([](Client& client, SshdOptions& options) {
        options.host_authority = make_client_key(client.folder(), "authority").path;
        options.host_principals = "127.0.0.1";
    });
    bench.client().know_only("@cert-authority [127.0.0.1]:* " +
                             read_file(bench.client().folder().file("authority.pub")));
    bench.check("`@cert-authority` in known_hosts", bench.node(), Outcome::connects);
}

AS_SSH("a key that known_hosts revokes") {
    if (ssh_missing()) return;
    Bench bench;
    bench.client().know("@revoked * " + bench.sshd().host_key());
    bench.check("`@revoked` beside a line that trusts the key", bench.node(), Outcome::refuses);
}

AS_SSH("a host that is not known") {
    if (ssh_missing()) return;
    Bench bench;
    bench.client().know_only("");
    bench.check("an unknown host key", bench.node(), Outcome::refuses);
}

AS_SSH("StrictHostKeyChecking accept-new") {
    if (ssh_missing()) return;
    Bench bench;
    const std::string file = bench.client().folder().write("empty", "");
    const std::string config =
        bench.node("StrictHostKeyChecking accept-new\nUserKnownHostsFile " + file + "\n");
    const Inspection first = bench.client().inspect_by_config(config, {"node"});
    check_clean(first.host("node"));
    CHECK_THAT(read_file(file), ContainsSubstring(bench.sshd().host_key()));
    bench.check("`StrictHostKeyChecking accept-new`, an unknown key", config, Outcome::connects);
}

AS_SSH("StrictHostKeyChecking no with a key that is new") {
    if (ssh_missing()) return;
    Bench bench;
    const std::string config =
        bench.node("StrictHostKeyChecking no\nUserKnownHostsFile /dev/null\n");
    bench.check("`StrictHostKeyChecking no`, `UserKnownHostsFile /dev/null`", config,
                Outcome::connects);
    const Inspection run = bench.client().inspect_by_config(config, {"node"});
    CHECK(run.report.dump().find("hostkey.unverified") != std::string::npos);
}

AS_SSH("StrictHostKeyChecking no with a key that changed") {
    if (ssh_missing()) return;
    Bench bench;
    const Sshd other(open_to(bench.client()));
    bench.client().know_only(bench.name_in_known_hosts() + " " + other.host_key());
    bench.check("`StrictHostKeyChecking no`, a changed key",
                bench.node("StrictHostKeyChecking no\n"), Outcome::connects, Outcome::refuses);
}

AS_SSH("CertificateFile") {
    if (ssh_missing()) return;
    Bench bench([](Client& client, SshdOptions& options) {
        const ClientKey authority = make_client_key(client.folder(), "authority");
        options.extra_config = "TrustedUserCAKeys " + authority.path + ".pub\n";
        options.authorized_key = "# nobody";
    });
    const TempDir& folder = bench.client().folder();
    const std::string copy = folder.write("signed.pub", bench.client().key().public_line + "\n");
    sign_key(folder.file("authority"), copy, {"-n", current_user()});
    bench.check("`CertificateFile`",
                bench.node("CertificateFile " + folder.file("signed-cert.pub") + "\n"),
                Outcome::connects);
}

AS_SSH("Match exec") {
    if (ssh_missing()) return;
    Bench bench;
    bench.check("`Match host … exec`",
                "Match host node exec \"test %h = node\"\n" + bench.address() + "Match all\n" +
                    bench.key() + bench.trust(),
                Outcome::connects);
}

AS_SSH("Include") {
    if (ssh_missing()) return;
    Bench bench;
    const std::string part = bench.client().folder().write("part", bench.node());
    bench.check("`Include`", "Include " + part + "\nHost *\nPort 1\n", Outcome::connects);
}

AS_SSH("a negated Host pattern") {
    if (ssh_missing()) return;
    Bench bench;
    bench.check("`Host * !node` that would lead elsewhere", "Host * !node\nPort 1\n" + bench.node(),
                Outcome::connects);
}

AS_SSH("BindAddress") {
    if (ssh_missing()) return;
    Bench bench;
    bench.check("`BindAddress`", bench.node("BindAddress 127.0.0.9\n"), Outcome::connects);
    CHECK(bench.sshd().times_logged("Connection from 127.0.0.9") >= 2);
}

AS_SSH("KexAlgorithms that both sides know") {
    if (ssh_missing()) return;
    Bench bench([](Client&, SshdOptions& options) {
        options.first_config = "KexAlgorithms ecdh-sha2-nistp384\n";
    });
    bench.check("`KexAlgorithms`, the host knows it",
                bench.node("KexAlgorithms ecdh-sha2-nistp384\n"), Outcome::connects);
}

AS_SSH("KexAlgorithms that the host does not know") {
    if (ssh_missing()) return;
    Bench bench([](Client&, SshdOptions& options) {
        options.first_config = "KexAlgorithms ecdh-sha2-nistp384\n";
    });
    bench.check("`KexAlgorithms`, the host does not know it",
                bench.node("KexAlgorithms curve25519-sha256\n"), Outcome::refuses);
}

AS_SSH("RequiredRSASize") {
    if (ssh_missing()) return;
    Bench bench([](Client& client, SshdOptions& options) {
        options.authorized_key = make_client_key(client.folder(), "small", "rsa").public_line;
    });
    bench.check("`RequiredRSASize 4096`, the key has 2048 bits",
                bench.node("RequiredRSASize 4096\nIdentitiesOnly yes\nIdentityFile " +
                           bench.client().folder().file("small") + "\n"),
                Outcome::refuses);
}

AS_SSH("an encrypted key without a terminal") {
    if (ssh_missing()) return;
    Bench bench([](Client& client, SshdOptions& options) {
        options.authorized_key =
            make_client_key(client.folder(), "secret", "ed25519", "a passphrase").public_line;
    });
    bench.check("an encrypted `IdentityFile`, and no terminal to ask on",
                "Host node\nIdentitiesOnly yes\nIdentityFile " +
                    bench.client().folder().file("secret") + "\n" + bench.address() + bench.trust(),
                Outcome::refuses);
}
