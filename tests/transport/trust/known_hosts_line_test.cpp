#include "gpumuster/transport/trust/known_hosts_line.hpp"

#include "support/catch.hpp"
#include "support/components.hpp"
#include "support/program.hpp"
#include "support/temp_dir.hpp"
#include "transport/trust/sample_keys.hpp"

using namespace gpumuster;
using namespace gpumuster::test;

namespace {

const HashedName::Bytes salt{9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10};

}  // namespace

TEST_CASE("a line gives the name as it is looked up, then the key") {
    const KeyBlob key = ed25519_key.blob();
    CHECK(known_hosts_line({"gpu1", 22}, key) == "gpu1 " + ed25519_key.text);
    CHECK(known_hosts_line({"GPU1.Example", 2222}, key) ==
          "[gpu1.example]:2222 " + ed25519_key.text);
    CHECK(known_hosts_line({"2001:db8::7", 22}, key) == "2001:db8::7 " + ed25519_key.text);
    CHECK(known_hosts_line({"gpu1", 22}, rsa_key.blob()) == "gpu1 " + rsa_key.text);
}

TEST_CASE("a hashed line tells no name and is found under it") {
    for (const HostKeyName& host : {HostKeyName{"gpu1", 22}, HostKeyName{"gpu1", 2222}}) {
        const std::string line = known_hosts_line(host, ed25519_key.blob(), salt);
        CHECK(line.starts_with("|1|"));
        CHECK(line.find("gpu1") == std::string::npos);
        CHECK(judge(line, host, ed25519_key).trust == Trust::trusted);
        CHECK(judge(line, {"gpu2", host.port}, ed25519_key).trust == Trust::unknown);
    }
}

TEST_CASE("ssh-keygen finds hashed lines under their names") {
    if (component_missing("ssh-keygen")) return;
    const TempDir folder;
    const std::string file = folder.write(
        "known_hosts", known_hosts_line({"gpu1", 2222}, ed25519_key.blob(), salt) + "\n");
    ProgramOrder order;
    order.argv = {"ssh-keygen", "-l", "-F", "[gpu1]:2222", "-f", file};
    CHECK_THAT(run_program(order).out, ContainsSubstring(ed25519_key.fingerprint));
}

TEST_CASE("a name with a meaning in known_hosts cannot stand plain") {
    CHECK(can_stand_plain({"gpu1.example.org", 22}));
    CHECK(can_stand_plain({"2001:db8::7%eth0", 22}));
    for (const std::string name : {"", "*", "gpu?", "!gpu1", "gpu1,gpu2", "|1|x", "@revoked",
                                   "#gpu1", "gpu 1", "gpu\t1", "gpu1\ngpu2", "gpu\x7f"}) {
        CAPTURE(name);
        CHECK_FALSE(can_stand_plain({name, 22}));
    }
}
