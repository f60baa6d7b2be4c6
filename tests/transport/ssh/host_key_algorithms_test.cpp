#include <libssh/libssh.h>

#include <memory>
#include <set>
#include <sstream>

#include "gpumuster/transport/ssh/algorithms.hpp"
#include "support/catch.hpp"
#include "support/components.hpp"
#include "support/program.hpp"

using namespace gpumuster;
using namespace gpumuster::test;

namespace {

using Names = std::vector<std::string>;

// Whether the linked libssh takes the algorithm for this use.
bool libssh_takes(ssh_options_e option, const std::string& algorithm) {
    const std::unique_ptr<ssh_session_struct, void (*)(ssh_session)> session(::ssh_new(),
                                                                             ::ssh_free);
    return ::ssh_options_set(session.get(), option, algorithm.c_str()) >= 0;
}

// All that the installed OpenSSH has a name for.
Names named_by_openssh(const std::string& query) {
    ProgramOrder order;
    order.argv = {"ssh", "-Q", query};
    std::istringstream lines(run_program(order).out);
    Names names;
    for (std::string line; std::getline(lines, line);) names.push_back(line);
    return names;
}

bool is_for_another_program(const std::string& algorithm) {
    return algorithm.starts_with("sk-");
}

}  // namespace

TEST_CASE("without a known key all host key algorithms are asked for in one order") {
    CHECK(host_key_algorithms({}) ==
          "ssh-ed25519,ecdsa-sha2-nistp256,ecdsa-sha2-nistp384,ecdsa-sha2-nistp521,"
          "rsa-sha2-512,rsa-sha2-256");
}

TEST_CASE("algorithms of known keys are asked for first, and none is left out") {
    CHECK(host_key_algorithms({"ecdsa-sha2-nistp384"}) ==
          "ecdsa-sha2-nistp384,ssh-ed25519,ecdsa-sha2-nistp256,ecdsa-sha2-nistp521,"
          "rsa-sha2-512,rsa-sha2-256");
    CHECK(host_key_algorithms({"ecdsa-sha2-nistp256", "ssh-ed25519"}) == host_key_algorithms({}));
}

TEST_CASE("a known rsa key asks for both of its hashes, never for SHA-1") {
    CHECK(host_key_algorithms({"ssh-rsa"}) ==
          "rsa-sha2-512,rsa-sha2-256,ssh-ed25519,ecdsa-sha2-nistp256,ecdsa-sha2-nistp384,"
          "ecdsa-sha2-nistp521");
}

TEST_CASE("known keys of types that are never asked for change nothing") {
    CHECK(host_key_algorithms({"ssh-dss", "ssh-foo", "rsa-sha2-512"}) == host_key_algorithms({}));
}

TEST_CASE("a list of host key algorithms keeps its members, and its order behind known keys") {
    const std::string list = "rsa-sha2-256,ecdsa-sha2-nistp256,ssh-ed25519";
    CHECK(host_key_algorithms({}, list) == list);
    CHECK(host_key_algorithms({"ssh-ed25519"}, list) ==
          "ssh-ed25519,rsa-sha2-256,ecdsa-sha2-nistp256");
    CHECK(host_key_algorithms({"ssh-ed25519", "ssh-rsa"}, list) ==
          "rsa-sha2-256,ssh-ed25519,ecdsa-sha2-nistp256");
    CHECK(host_key_algorithms({"ecdsa-sha2-nistp384"}, list) == list);
    CHECK(host_key_algorithms({}, "ssh-rsa,ssh-ed25519") == "ssh-rsa,ssh-ed25519");
}

TEST_CASE("of a list of host key algorithms only what can be asked for is left, each once") {
    CHECK(host_key_algorithms({},
                              "ssh-ed25519-cert-v01@openssh.com,ssh-ed25519,"
                              "sk-ssh-ed25519@openssh.com,ssh-foo,ssh-ed25519") == "ssh-ed25519");
    CHECK(host_key_algorithms({}, "ssh-ed25519-cert-v01@openssh.com,ssh-dss").empty());
}

TEST_CASE("without lists the algorithms are ours, without the dear group18") {
    const auto chosen = choose_algorithms({}, {"ecdsa-sha2-nistp256"});
    REQUIRE(chosen);
    CHECK(chosen->key_exchanges.starts_with("curve25519-sha256,"));
    CHECK(chosen->key_exchanges.find("group18") == std::string::npos);
    CHECK(chosen->host_keys.starts_with("ecdsa-sha2-nistp256,ssh-ed25519,"));
    CHECK(chosen->ciphers.starts_with("aes256-gcm@openssh.com,"));
    CHECK(chosen->macs.empty());
    CHECK(chosen->public_keys.empty());
}

TEST_CASE("lists of ssh_config keep their order and lose what libssh cannot do") {
    AlgorithmLists lists;
    lists.key_exchanges =
        "sntrup761x25519-sha512@openssh.com,diffie-hellman-group18-sha512,"
        "curve25519-sha256@libssh.org";
    lists.host_keys = "rsa-sha2-512";
    lists.ciphers = "aes128-ctr,arcfour,chacha20-poly1305@openssh.com";
    lists.macs = "umac-64@openssh.com,hmac-sha2-512,hmac-sha1";
    lists.public_keys = "ssh-ed25519-cert-v01@openssh.com,sk-ssh-ed25519@openssh.com,ssh-ed25519";
    const auto chosen = choose_algorithms(lists, {});
    REQUIRE(chosen);
    CHECK(chosen->key_exchanges == "diffie-hellman-group18-sha512,curve25519-sha256@libssh.org");
    CHECK(chosen->host_keys == "rsa-sha2-512");
    CHECK(chosen->ciphers == "aes128-ctr,chacha20-poly1305@openssh.com");
    CHECK(chosen->macs == "hmac-sha2-512,hmac-sha1");
    CHECK(chosen->public_keys == "ssh-ed25519-cert-v01@openssh.com,ssh-ed25519");
}

TEST_CASE("a list of which libssh can do nothing is no leave to use another") {
    AlgorithmLists lists;
    std::string& list =
        GENERATE_REF(std::ref(lists.key_exchanges), std::ref(lists.host_keys),
                     std::ref(lists.ciphers), std::ref(lists.macs), std::ref(lists.public_keys));
    list = "sntrup761x25519-sha512@openssh.com";
    CHECK_FALSE(choose_algorithms(lists, {}));
}

TEST_CASE("the table of algorithms is what the linked libssh takes of OpenSSH's names") {
    if (component_missing("ssh")) return;
    const LibsshAlgorithms& table = libssh_algorithms();
    struct Kind {
        std::string query;
        ssh_options_e option;
        const Names& ours;
    };
    const std::vector<Kind> kinds{
        {"kex", SSH_OPTIONS_KEY_EXCHANGE, table.key_exchanges},
        {"cipher", SSH_OPTIONS_CIPHERS_C_S, table.ciphers},
        {"mac", SSH_OPTIONS_HMAC_C_S, table.macs},
        {"PubkeyAcceptedAlgorithms", SSH_OPTIONS_PUBLICKEY_ACCEPTED_TYPES, table.public_keys},
    };
    for (const Kind& kind : kinds) {
        for (const std::string& name : kind.ours) {
            CAPTURE(name);
            CHECK(libssh_takes(kind.option, name));
        }
        const std::set<std::string> ours(kind.ours.begin(), kind.ours.end());
        for (const std::string& name : named_by_openssh(kind.query)) {
            CAPTURE(name);
            if (is_for_another_program(name)) continue;
            CHECK(libssh_takes(kind.option, name) == ours.contains(name));
        }
    }
    for (const std::string& name : table.host_keys) {
        CAPTURE(name);
        CHECK(libssh_takes(SSH_OPTIONS_HOSTKEYS, name));
        CHECK(name.find("-cert-") == std::string::npos);
    }
}
