#include "gpumuster/transport/settings/ssh_config_answer.hpp"

#include "support/catch.hpp"

using namespace gpumuster;

namespace {

using Words = std::vector<std::string>;

// From OpenSSH 9.2p1, shortened.
constexpr const char* real_answer = R"(host a
user root
hostname a.example.com
port 22
addressfamily inet
batchmode no
canonicalizehostname false
identitiesonly yes
pubkeyauthentication true
stricthostkeychecking false
bindaddress 127.0.0.1
ciphers aes128-ctr
hostkeyalias gpu
securitykeyprovider internal
identityagent /root/agent_root
identityfile ~/.ssh/k_%h
identityfile /tmp/with blank/%r key
certificatefile ~/c_%d-cert.pub
globalknownhostsfile /dev/null
userknownhostsfile /root/.ssh/kh_a.example.com /tmp/with blank/kh /root/kh3
canonicalizePermittedcnames none
connecttimeout 7
setenv A=b c
proxyjump u@b:22,v@[::1]:2200,c
)";

SshConfigAnswer parsed(const std::string& text) {
    const auto answer = parse_ssh_g(text);
    REQUIRE(answer.has_value());
    return *answer;
}

const std::string least = "user anna\nhostname gpu1\nport 2222\n";

}  // namespace

TEST_CASE("what ssh -G prints is read by keyword, values with blanks whole and in its order") {
    const SshConfigAnswer answer = parsed(real_answer);
    CHECK(answer.address() == "a.example.com");
    CHECK(answer.user() == "root");
    CHECK(answer.port() == 22);
    CHECK(answer.values("identityfile") == Words{"~/.ssh/k_%h", "/tmp/with blank/%r key"});
    CHECK(answer.value("proxyjump") == "u@b:22,v@[::1]:2200,c");
    CHECK(answer.value("hostkeyalias") == "gpu");
    CHECK(answer.is_on("identitiesonly"));
    CHECK(answer.is_on("pubkeyauthentication"));
    CHECK_FALSE(answer.is_on("stricthostkeychecking"));
    CHECK(answer.value("proxycommand").empty());
    CHECK(answer.values("proxycommand").empty());
}

TEST_CASE("an answer with unknown keywords, empty lines, other capitals and line ends is read") {
    const SshConfigAnswer answer = parsed(
        "\n\r\nHostName gpu1\r\nUSER anna\r\nport 22\r\n"
        "somethingnew yes\nalone\n \nhostkeyalias \nbatchmode\n"
        "pubkeyacceptedkeytypes ssh-ed25519");
    CHECK(answer.address() == "gpu1");
    CHECK(answer.user() == "anna");
    CHECK(answer.value("hostkeyalias").empty());
    // As OpenSSH before 8.5 calls it.
    CHECK(answer.value("pubkeyacceptedalgorithms") == "ssh-ed25519");
}

TEST_CASE("lines of any length are read") {
    const std::string list(300'000, 'x');
    CHECK(parsed(least + "ciphers " + list + "\nproxyjump door\n").value("ciphers") == list);
    CHECK(parsed(least + std::string(300'000, 'y') + "\nproxyjump door\n").value("proxyjump") ==
          "door");
}

TEST_CASE("an answer without name, user or port is none") {
    CHECK(parse_ssh_g("").error() == "it names no hostname");
    CHECK(parse_ssh_g("user anna\nport 22\n").error() == "it names no hostname");
    CHECK(parse_ssh_g("hostname\nuser anna\nport 22\n").error() == "it names no hostname");
    CHECK(parse_ssh_g("hostname gpu1\nport 22\n").error() == "it names no user");
    CHECK(parse_ssh_g("hostname gpu1\nuser anna\n").error() == "it names no port");
    for (const char* port : {"0", "65536", "-1", "22x", "ssh", "\x1b[31m"}) {
        const auto answer = parse_ssh_g(std::string("hostname a\nuser b\nport ") + port + "\n");
        REQUIRE_FALSE(answer.has_value());
        CHECK_THAT(answer.error(), ContainsSubstring("is not a number in 1-65535"));
        CHECK(answer.error().find('\x1b') == std::string::npos);
    }
    CHECK(parsed("hostname a\nuser b\nport 65535\n").port() == 65535);
}

TEST_CASE("none is no value") {
    const SshConfigAnswer answer =
        parsed(least + "proxycommand none\npkcs11provider NONE\nproxyjump nonesuch\n");
    CHECK(answer.set_value("proxycommand").empty());
    CHECK(answer.set_value("pkcs11provider").empty());
    CHECK(answer.set_value("proxyjump") == "nonesuch");
    CHECK(answer.set_value("bindaddress").empty());
}

TEST_CASE("what is as in ssh's own defaults is forgotten, but for the name, user and port") {
    const SshConfigAnswer defaults = parsed(least +
                                            "identityfile a\nidentityfile b\nciphers x,y\n"
                                            "hashknownhosts no\n");
    SshConfigAnswer answer = parsed(least +
                                    "identityfile a\nidentityfile b\nciphers x\n"
                                    "hashknownhosts no\nproxyjump door\n");
    answer.forget_what_is_in(defaults);
    CHECK(answer.values("identityfile").empty());
    CHECK(answer.value("hashknownhosts").empty());
    CHECK(answer.value("ciphers") == "x");
    CHECK(answer.value("proxyjump") == "door");
    CHECK(answer.address() == "gpu1");
    CHECK(answer.port() == 2222);

    // Another order, or a part of them, is the user's own.
    answer = parsed(least + "identityfile b\nidentityfile a\n");
    answer.forget_what_is_in(defaults);
    CHECK(answer.values("identityfile") == Words{"b", "a"});
    answer = parsed(least + "identityfile a\n");
    answer.forget_what_is_in(defaults);
    CHECK(answer.values("identityfile") == Words{"a"});
}
