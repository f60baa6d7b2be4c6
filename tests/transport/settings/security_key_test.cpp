#include "gpumuster/transport/settings/security_key.hpp"

#include <sys/stat.h>

#include "support/catch.hpp"
#include "support/components.hpp"
#include "support/program.hpp"
#include "support/temp_dir.hpp"

using namespace gpumuster;
using namespace gpumuster::test;

namespace {

std::string armoured(const std::string& base64) {
    return "-----BEGIN OPENSSH PRIVATE KEY-----\n" + base64 +
           "\n-----END OPENSSH PRIVATE KEY-----\n";
}

// The form of what ssh-keygen -t ed25519-sk writes, with bytes that are no key.
const std::string plain = armoured(
    "b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAASgAAABpzay1zc2\n"
    "gtZWQyNTUxOUBvcGVuc3NoLmNvbQAAACABAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEB\n"
    "AQEBAQAAAARzc2g6AAAAeAUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQ==");
// The same of ecdsa-sk, with a passphrase.
const std::string encrypted = armoured(
    "b3BlbnNzaC1rZXktdjEAAAAACmFlczI1Ni1jdHIAAAAGYmNyeXB0AAAAGAAAABAwMTIzND\n"
    "U2Nzg5YWJjZGVmAAAAEAAAAAEAAABSAAAAInNrLWVjZHNhLXNoYTItbmlzdHAyNTZAb3Bl\n"
    "bnNzaC5jb20AAAAgAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEAAAAEc3NoOg==");

}  // namespace

TEST_CASE("a security key is known by its private half, encrypted or not, and by its public one") {
    const TempDir folder;
    CHECK(is_security_key(folder.write("plain", plain)));
    CHECK(is_security_key(folder.write("encrypted", encrypted)));
    const std::string line = "sk-ssh-ed25519@openssh.com AAAAGnNr anna@desk\n";
    CHECK(is_security_key(folder.write("key.pub", line)));
    // The private half is elsewhere: in an agent.
    CHECK(is_security_key(folder.file("key")));
}

TEST_CASE("other keys and files that cannot be read are no security keys") {
    const TempDir folder;
    CHECK_FALSE(is_security_key(folder.file("missing")));
    CHECK_FALSE(is_security_key(folder.path()));
    CHECK_FALSE(is_security_key(folder.write("empty", "")));
    CHECK_FALSE(is_security_key(folder.write("text", "# sk-ssh-ed25519@openssh.com\n")));
    CHECK_FALSE(is_security_key(folder.write("pem", "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n")));
    // Reading it would wait for somebody to write.
    REQUIRE(::mkfifo(folder.file("fifo").c_str(), 0600) == 0);
    CHECK_FALSE(is_security_key(folder.file("fifo")));
}

TEST_CASE("a key of ssh-keygen is no security key") {
    if (component_missing("ssh-keygen")) return;
    const TempDir folder;
    const std::string key = folder.file("key");
    REQUIRE(
        run_program({{"ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key}, {}, {}}).status ==
        0);
    CHECK_FALSE(is_security_key(key));
    CHECK_FALSE(is_security_key(key + ".pub"));
}
