#include "gpumuster/transport/ssh/login.hpp"
#include "support/catch.hpp"
#include "support/program.hpp"
#include "support/run_on_loop.hpp"
#include "support/temp_dir.hpp"
#include "transport/trust/sample_keys.hpp"

using namespace gpumuster;
using namespace gpumuster::test;

namespace {

const SampleKey& key = ed25519_key;

// A login whose known_hosts file holds `text`.
class Check {
public:
    explicit Check(const std::string& text, HostKeyRule rule = HostKeyRule::accept_new)
        : store_(known_hosts_of({text}), std::make_shared<KnownHostsThread>()) {
        login_.address = "gpu1.example";
        login_.port = 2222;
        login_.host_key_rule = rule;
        login_.new_keys_file = folder_.write("known_hosts", text);
        login_.known_hosts_files = {login_.new_keys_file};
        hop_.name = "gpu1";
        hop_.ssh_arguments = "-p 2222 gpu1.example";
    }

    Login& login() { return login_; }
    std::string file() const { return read_file(folder_.file("known_hosts")); }
    std::string path() const { return folder_.file("known_hosts"); }

    HostKeyCheck of(const SampleKey& shown) {
        asio::io_context context;
        const KeyBlob blob = shown.blob();
        return run_on(context, judge_host_key(blob, hop_, login_, store_, {}));
    }

private:
    TempDir folder_;
    HostKeyStore store_;
    Login login_;
    HopRef hop_;
};

const std::string described =
    "the key of [gpu1.example]:2222 (ssh-ed25519 " + ed25519_key.fingerprint + ")";

}  // namespace

TEST_CASE("a host key is looked up under the address and port, or under the alias alone") {
    Login login;
    login.address = "gpu1.example";
    login.port = 2222;
    CHECK(lookup_name(host_key_name(login)) == "[gpu1.example]:2222");
    login.host_key_alias = "Cluster";
    CHECK(lookup_name(host_key_name(login)) == "cluster");
}

TEST_CASE("a known key is let pass without a word, whatever the rule") {
    const auto rule =
        GENERATE(HostKeyRule::known_only, HostKeyRule::accept_new, HostKeyRule::accept_unverified);
    Check check("[gpu1.example]:2222 " + key.text + "\n", rule);
    const HostKeyCheck result = check.of(key);
    CHECK_FALSE(result.failure);
    CHECK_FALSE(result.remark);
    CHECK(result.was_known);
}

TEST_CASE("an unknown key is refused by default, with its fingerprint and what settles it") {
    Check check("", HostKeyRule::known_only);
    const HostKeyCheck result = check.of(key);
    REQUIRE(result.failure);
    CHECK(result.failure->kind == FailureKind::hostkey_unknown);
    CHECK(result.failure->message == described + " is not in known_hosts");
    CHECK(result.failure->next_step ==
          "compare the fingerprint with the host's own, then: ssh -p 2222 gpu1.example");
    CHECK_FALSE(result.was_known);
    CHECK(check.file().empty());
}

TEST_CASE("accept-new writes the key and says so once, and it does not count as known") {
    Check check("# mine");
    const HostKeyCheck first = check.of(key);
    CHECK_FALSE(first.failure);
    CHECK_FALSE(first.was_known);
    REQUIRE(first.remark);
    CHECK(first.remark->kind == RemarkKind::host_key_added);
    CHECK(first.remark->hop.name == "gpu1");
    CHECK(first.remark->message == described + " was new and is now in " + check.path());
    CHECK(check.file() == "# mine\n[gpu1.example]:2222 " + key.text + "\n");

    const HostKeyCheck second = check.of(key);
    CHECK_FALSE(second.failure);
    CHECK_FALSE(second.remark);
    CHECK_FALSE(second.was_known);
}

TEST_CASE("another key in the same run is a changed one") {
    Check check("");
    check.of(key);
    const HostKeyCheck result = check.of(other_ed25519_key);
    REQUIRE(result.failure);
    CHECK(result.failure->kind == FailureKind::hostkey_changed);
    CHECK_THAT(result.failure->message,
               ContainsSubstring("is not the one that was accepted earlier in this run"));
    CHECK(result.failure->next_step ==
          "see which machines answer to this name: ssh -p 2222 gpu1.example");
}

TEST_CASE("an alias is what an accepted key is written under") {
    Check check("");
    check.login().host_key_alias = "cluster";
    check.of(key);
    CHECK(check.file() == "cluster " + key.text + "\n");
}

TEST_CASE("names are hashed where ssh_config wants it") {
    Check check("");
    check.login().hash_new_keys = true;
    check.of(key);
    CHECK(check.file().starts_with("|1|"));
    CHECK(judge(check.file(), {"gpu1.example", 2222}, key).trust == Trust::trusted);
}

TEST_CASE("no rule lets a changed or revoked key pass, or one of another type than is known") {
    const auto rule =
        GENERATE(HostKeyRule::known_only, HostKeyRule::accept_new, HostKeyRule::accept_unverified);
    const std::string name = "[gpu1.example]:2222 ";
    struct Case {
        std::string text;
        FailureKind kind;
        std::string message;
    };
    const std::vector<Case> cases{
        {name + other_ed25519_key.text + "\n", FailureKind::hostkey_changed,
         "is not the one in first line 1"},
        {"@revoked " + name + key.text + "\n", FailureKind::hostkey_revoked,
         "is marked @revoked in first line 1"},
        {name + ecdsa_key.text + "\n", FailureKind::hostkey_unknown,
         "is not in known_hosts, which knows it by ecdsa-sha2-nistp256"},
        {"@cert-authority " + name + rsa_key.text + "\n", FailureKind::hostkey_certificate_only,
         "by a certificate authority only"},
    };
    for (const Case& one : cases) {
        CAPTURE(one.text);
        Check check(one.text, rule);
        const HostKeyCheck result = check.of(key);
        REQUIRE(result.failure);
        CHECK(result.failure->kind == one.kind);
        CHECK_THAT(result.failure->message, ContainsSubstring(one.message));
        CHECK_FALSE(result.remark);
        CHECK_FALSE(result.was_known);
        CHECK(check.file() == one.text);
    }
}

TEST_CASE("a key that cannot be written is accepted for the run, with file and reason") {
    Check check("");
    check.login().new_keys_file = "/dev/full";
    const HostKeyCheck result = check.of(key);
    CHECK_FALSE(result.failure);
    REQUIRE(result.remark);
    CHECK(result.remark->kind == RemarkKind::host_key_not_saved);
    CHECK(result.remark->message ==
          described +
              " was new and is accepted for this run only: not written to /dev/full: No space left "
              "on device");
    CHECK_FALSE(check.of(key).failure);
}

TEST_CASE("accept-new without a file to write to says that too") {
    Check check("");
    check.login().new_keys_file.clear();
    const HostKeyCheck result = check.of(key);
    REQUIRE(result.remark);
    CHECK(result.remark->kind == RemarkKind::host_key_not_saved);
    CHECK_THAT(result.remark->message, ContainsSubstring("no known_hosts file to write it to"));
}

TEST_CASE("a key that ssh_config lets pass unverified is said to be") {
    Check check("", HostKeyRule::accept_unverified);
    const HostKeyCheck result = check.of(key);
    CHECK_FALSE(result.failure);
    CHECK_FALSE(result.was_known);
    REQUIRE(result.remark);
    CHECK(result.remark->kind == RemarkKind::host_key_unverified);
    CHECK(result.remark->message == "ssh_config sets StrictHostKeyChecking no: " + described +
                                        " is not verified by anything (now in " + check.path() +
                                        ")");

    Check in_memory("", HostKeyRule::accept_unverified);
    in_memory.login().new_keys_file.clear();
    const HostKeyCheck unwritten = in_memory.of(key);
    REQUIRE(unwritten.remark);
    CHECK(unwritten.remark->kind == RemarkKind::host_key_unverified);
    CHECK_THAT(unwritten.remark->message, ContainsSubstring("no known_hosts file to write it to"));
}

TEST_CASE("an alias with control characters stays harmless in messages") {
    Check check("");
    check.login().host_key_alias = "gpu\x1b[31m";
    const HostKeyCheck result = check.of(key);
    REQUIRE(result.remark);
    CHECK(result.remark->message.find('\x1b') == std::string::npos);
}
