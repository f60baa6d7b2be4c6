#include "gpumuster/transport/ssh/kex_offer.hpp"

#include "support/catch.hpp"

using namespace gpumuster;

namespace {

std::string number(std::size_t value) {
    std::string bytes;
    for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift & 0xff);
    return bytes;
}

std::string offer_of(const std::vector<std::string>& lists) {
    std::string payload = std::string(1, '\x14') + std::string(16, 'c');
    for (const std::string& list : lists) payload += number(list.size()) + list;
    return number(payload.size() + 5) + '\x04' + payload + "pppp";
}

constexpr OwnAlgorithms own{"curve25519-sha256,ecdh-sha2-nistp256", "ssh-ed25519,rsa-sha2-512",
                            "aes256-gcm@openssh.com,aes128-ctr"};

}  // namespace

TEST_CASE("a server's offer is read after its identification") {
    const std::string packet =
        offer_of({"curve25519-sha256,kex-strict", "ssh-ed25519", "aes128-ctr"});
    const auto offer = read_kex_offer("hello\r\nSSH-2.0-OpenSSH_9.2\r\n" + packet);
    REQUIRE(offer);
    CHECK(offer->key_exchanges == std::vector<std::string>{"curve25519-sha256", "kex-strict"});
    CHECK(offer->host_key_algorithms == std::vector<std::string>{"ssh-ed25519"});
    CHECK(disagreement(*offer, own).empty());
}

TEST_CASE("an offer that is not whole is none, at whatever byte it stops") {
    const std::string all = "SSH-2.0-x\r\n" + offer_of({"a,b", "c", "d"});
    const std::size_t lists_end = all.size() - 4;
    for (std::size_t size = 0; size < lists_end; ++size) {
        CHECK_FALSE(read_kex_offer(std::string_view(all).substr(0, size)));
    }
    CHECK(read_kex_offer(all));
    CHECK_FALSE(read_kex_offer("SSH-2.0-x\r\n\x01\x02\x03\x04 no packet at all, but long enough"));
}

TEST_CASE("what the two sides have nothing in common for is named") {
    CHECK(disagreement({{"diffie-hellman-group1-sha1"}, {"ssh-ed25519"}, {"aes128-ctr"}}, own) ==
          "key exchange (the host offers diffie-hellman-group1-sha1)");
    CHECK(disagreement({{"curve25519-sha256"}, {"ssh-dss"}, {"aes128-ctr"}}, own) ==
          "host key (the host offers ssh-dss)");
    CHECK(disagreement({{"curve25519-sha256"}, {"ssh-ed25519"}, {"3des-cbc"}}, own) ==
          "cipher (the host offers 3des-cbc)");
}
