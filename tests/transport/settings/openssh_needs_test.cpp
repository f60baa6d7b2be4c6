#include "gpumuster/transport/settings/openssh_needs.hpp"

#include "support/catch.hpp"

using namespace gpumuster;

namespace {

SshConfigAnswer answer_with(const std::string& lines) {
    const auto answer = parse_ssh_g("hostname gpu1\nuser anna\nport 22\n" + lines);
    REQUIRE(answer.has_value());
    return *answer;
}

std::string need(const std::string& lines, const std::string& defaults = {}) {
    return openssh_need(answer_with(lines), answer_with(defaults), false).value_or("nothing");
}

}  // namespace

TEST_CASE("what libssh cannot do is named as ssh_config calls it") {
    CHECK(need("") == "nothing");
    CHECK(need("proxycommand nc %h %p\n") == "ProxyCommand in ssh_config");
    CHECK(need("pkcs11provider /lib/p.so\n") == "PKCS11Provider in ssh_config");
    CHECK(need("bindaddress 10.0.0.1\n") == "BindAddress in ssh_config");
    CHECK(need("bindinterface eth1\n") == "BindInterface in ssh_config");
    CHECK(need("knownhostscommand /bin/k %H\n") == "KnownHostsCommand in ssh_config");
    CHECK(need("revokedhostkeys /etc/revoked\n") == "RevokedHostKeys in ssh_config");
    CHECK(need("hostbasedauthentication yes\n") == "HostbasedAuthentication in ssh_config");
    CHECK(need("proxyusefdpass yes\n") == "ProxyUseFdpass in ssh_config");
    CHECK(need("nohostauthenticationforlocalhost yes\n") ==
          "NoHostAuthenticationForLocalhost in ssh_config");
    CHECK(need("addressfamily inet6\n") == "AddressFamily in ssh_config");
    CHECK(need("verifyhostkeydns true\n") == "VerifyHostKeyDNS in ssh_config");
    CHECK(need("verifyhostkeydns ask\n") == "VerifyHostKeyDNS in ssh_config");
    CHECK(need("securitykeyprovider /lib/sk.so\n") == "SecurityKeyProvider in ssh_config");
    CHECK(need("checkhostip yes\n") == "CheckHostIP in ssh_config");
}

TEST_CASE("what is switched off, has no value or is as ssh has it anyway needs nothing") {
    CHECK(need("proxycommand none\npkcs11provider none\nbindaddress none\n") == "nothing");
    CHECK(need("revokedhostkeys none\nknownhostscommand none\n") == "nothing");
    CHECK(need("hostbasedauthentication no\nproxyusefdpass no\nverifyhostkeydns false\n") ==
          "nothing");
    CHECK(need("addressfamily any\nsecuritykeyprovider internal\n") == "nothing");
    CHECK(need("proxyjump door\n") == "nothing");
    // By $SSH_SK_PROVIDER, and before OpenSSH 8.5.
    CHECK(need("securitykeyprovider /lib/sk.so\n", "securitykeyprovider /lib/sk.so\n") ==
          "nothing");
    CHECK(need("checkhostip yes\n", "checkhostip yes\n") == "nothing");
}

TEST_CASE("GSSAPI needs the system ssh only with a ticket") {
    // As Debian has it for everybody.
    const SshConfigAnswer debian = answer_with("gssapiauthentication yes\n");
    CHECK_FALSE(openssh_need(debian, {}, false).has_value());
    CHECK(openssh_need(debian, {}, true) == "GSSAPIAuthentication with a Kerberos ticket");
    CHECK_FALSE(openssh_need(answer_with("gssapiauthentication no\n"), {}, true).has_value());
}

TEST_CASE("a list of algorithms needs the system ssh only where libssh has none of it") {
    CHECK(need("kexalgorithms sntrup761x25519-sha512@openssh.com\n") ==
          "KexAlgorithms in ssh_config");
    CHECK(need("kexalgorithms sntrup761x25519-sha512,curve25519-sha256\n") == "nothing");
    CHECK(need("macs umac-64@openssh.com,umac-128@openssh.com\n") == "MACs in ssh_config");
    CHECK(need("macs umac-64@openssh.com,hmac-sha2-256\n") == "nothing");
    CHECK(need("ciphers arcfour\n") == "Ciphers in ssh_config");
    CHECK(need("hostkeyalgorithms ssh-ed25519-cert-v01@openssh.com\n") ==
          "HostKeyAlgorithms in ssh_config");
    CHECK(need("pubkeyacceptedalgorithms sk-ssh-ed25519@openssh.com\n") ==
          "PubkeyAcceptedAlgorithms in ssh_config");
    // A part of a name is no name.
    CHECK(need("ciphers aes128\n") == "Ciphers in ssh_config");
}

TEST_CASE("the lists of ssh_config are handed on as they are") {
    const AlgorithmLists lists =
        algorithm_lists(answer_with("kexalgorithms a,b\nhostkeyalgorithms c\nciphers d\nmacs e\n"
                                    "pubkeyacceptedalgorithms f\n"));
    CHECK(lists.key_exchanges == "a,b");
    CHECK(lists.host_keys == "c");
    CHECK(lists.ciphers == "d");
    CHECK(lists.macs == "e");
    CHECK(lists.public_keys == "f");
    CHECK(algorithm_lists(answer_with("")).ciphers.empty());
}
