#include "gpumuster/transport/ssh/login.hpp"
#include "support/catch.hpp"

using gpumuster::host_key_algorithms;

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
