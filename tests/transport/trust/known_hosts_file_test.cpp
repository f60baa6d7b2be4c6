#include <cerrno>

#include "support/catch.hpp"
#include "support/temp_dir.hpp"
#include "transport/trust/sample_keys.hpp"

using namespace gpumuster;
using namespace gpumuster::test;

namespace {

const HostKeyName gpu1{"gpu1", 22};
const SampleKey& key = ed25519_key;
const SampleKey& other_key = other_ed25519_key;

Trust trust_in(const std::string& text, const HostKeyName& host = gpu1) {
    return judge(text, host, key).trust;
}

// A big-endian length and the bytes, as SSH writes strings.
std::string ssh_string(const std::string& bytes) {
    return std::string("\0\0\0", 3) + static_cast<char>(bytes.size()) + bytes;
}

}  // namespace

TEST_CASE("each of several names on a line stands for itself") {
    const std::string line = "gpu0,gpu1,10.0.0.7,[gpu2]:2222 " + key.text;
    CHECK(trust_in(line) == Trust::trusted);
    CHECK(trust_in(line, {"gpu0", 22}) == Trust::trusted);
    CHECK(trust_in(line, {"10.0.0.7", 22}) == Trust::trusted);
    CHECK(trust_in(line, {"gpu2", 2222}) == Trust::trusted);
    CHECK(trust_in(line, {"gpu2", 22}) == Trust::unknown);
    CHECK(trust_in(line, {"gpu", 22}) == Trust::unknown);
    CHECK(trust_in(line, {"gpu0,gpu1", 22}) == Trust::unknown);
}

TEST_CASE("wildcards match and negations take out") {
    CHECK(trust_in("gpu* " + key.text) == Trust::trusted);
    CHECK(trust_in("gpu?? " + key.text) == Trust::unknown);
    CHECK(trust_in("*,!gpu2 " + key.text) == Trust::trusted);
    CHECK(trust_in("*,!gpu1 " + key.text) == Trust::unknown);
    CHECK(trust_in("gpu1,!gpu1 " + key.text) == Trust::unknown);
    CHECK(trust_in("!gpu2 " + key.text) == Trust::unknown);
    const std::string negated = "[127.0.0.*]:22022,![127.0.0.1]:22022 " + key.text;
    CHECK(trust_in(negated, {"127.0.0.1", 22022}) == Trust::unknown);
    CHECK(trust_in(negated, {"127.0.0.2", 22022}) == Trust::trusted);
}

TEST_CASE("a negated host is not condemned by the line either") {
    CHECK(trust_in("*,!gpu1 " + other_key.text) == Trust::unknown);
    CHECK(trust_in("*,!gpu2 " + other_key.text) == Trust::changed);
}

TEST_CASE("a hashed name stands for one host and port") {
    CHECK(trust_in(hashed_gpu1 + " " + key.text) == Trust::trusted);
    CHECK(trust_in(hashed_gpu1 + " " + other_key.text) == Trust::changed);
    CHECK(trust_in(hashed_gpu2 + " " + key.text) == Trust::unknown);
    CHECK(trust_in(hashed_gpu1_port_2222 + " " + key.text) == Trust::unknown);
    CHECK(trust_in(hashed_gpu1_port_2222 + " " + key.text, {"gpu1", 2222}) == Trust::trusted);
    CHECK(trust_in("@revoked " + hashed_gpu1 + " " + key.text) == Trust::revoked);
}

TEST_CASE("a broken hash stands for nothing") {
    const std::string good = hashed_gpu1 + " " + other_key.text;
    CHECK(trust_in(good) == Trust::changed);
    for (const std::string broken :
         {"|2|X+XXcwcjA2xz9j50lV/LjPryfGA=|Pv0wOMrRsD6Trld0hx+6ExRT/v4=",
          "|1|X+XXcwcjA2xz9j50lV/LjPryfGA=", "|1|X+XX|Pv0wOMrRsD6Trld0hx+6ExRT/v4=",
          "|1|X+XXcwcjA2xz9j50lV/LjPryfGA=|Pv0wOMrRsD6Trld0hx+6ExRT/v4=,gpu1", "|1||", "|"}) {
        INFO(broken);
        CHECK(trust_in(broken + " " + other_key.text) == Trust::unknown);
        CHECK(trust_in(broken + " " + key.text + "\ngpu1 " + key.text) == Trust::trusted);
    }
}

TEST_CASE("fields are parted by any run of blanks and tabs") {
    const std::string type = key.text.substr(0, key.text.find(' '));
    const std::string blob = key.text.substr(key.text.find(' ') + 1);
    CHECK(trust_in("gpu1\t" + type + "\t" + blob) == Trust::trusted);
    CHECK(trust_in("  gpu1 \t " + type + "   " + blob + " \t") == Trust::trusted);
    CHECK(trust_in("@revoked\tgpu1\t" + type + "\t" + blob) == Trust::revoked);
    CHECK(trust_in("@revoked \t gpu1 " + key.text) == Trust::revoked);
}

TEST_CASE("what follows the key is a comment") {
    CHECK(trust_in("gpu1 " + key.text + " root@gpu1 since March") == Trust::trusted);
    CHECK(trust_in("gpu1 " + key.text + " # note") == Trust::trusted);
}

TEST_CASE("comments and empty lines count as lines and say nothing") {
    CHECK(trust_in("#gpu1 " + key.text) == Trust::unknown);
    CHECK(trust_in("  # gpu1 " + key.text) == Trust::unknown);
    CHECK(judge("\n  \t\n# x\n\ngpu1 " + key.text, gpu1, key).line == 5);
}

TEST_CASE("line ends of Windows and a last line without one are accepted") {
    CHECK(trust_in("gpu0 " + other_key.text + "\r\ngpu1 " + key.text + "\r\n") == Trust::trusted);
    CHECK(trust_in("\r\ngpu1 " + key.text) == Trust::trusted);
}

TEST_CASE("a line longer than 8191 bytes is read, and so are the lines after it") {
    const std::string many_names(9'000, ',');
    CHECK(trust_in("gpu1" + many_names + " " + key.text) == Trust::trusted);
    CHECK(trust_in("gpu1 " + key.text + " " + std::string(9'000, 'c')) == Trust::trusted);
    const std::string long_line = "gpu2 ssh-foo " + std::string(200'000, 'A') + "\n";
    CHECK(trust_in(long_line + "gpu1 " + key.text) == Trust::trusted);
    CHECK(trust_in(long_line + "gpu1 " + other_key.text) == Trust::changed);
}

TEST_CASE("a line that cannot be parsed hides no other and says nothing itself") {
    const std::string bare_key = key.text.substr(key.text.find(' ') + 1);
    for (const std::string& bad :
         {std::string("gpu1"), std::string("gpu1 ssh-ed25519"), std::string("@revoked"),
          std::string("gpu1 ssh-ed25519 AAAA"), "gpu1 ssh-ed25519 " + bare_key + "====",
          "gpu1 ssh-ed25519 " + bare_key.substr(0, bare_key.size() - 1), "gpu1 " + bare_key,
          "gpu1 ssh-rsa " + bare_key, "gpu1 ssh-ed25519 " + bare_key + "----",
          "@unheard-of gpu1 " + key.text, "@ gpu1 " + key.text,
          "@revoked @cert-authority gpu1 " + key.text, "gpu1 1024 35 " + std::string(300, '7'),
          std::string("gpu1 \x1b[31m \xff\xfe \x01")}) {
        INFO(bad);
        CHECK(trust_in(bad + "\n") == Trust::unknown);
        CHECK(trust_in(bad + "\ngpu1 " + key.text + "\n") == Trust::trusted);
        CHECK(trust_in(bad + "\ngpu1 " + other_key.text + "\n") == Trust::changed);
        CHECK(judge(bad + "\ngpu1 " + key.text, gpu1, key).line == 2);
    }
}

TEST_CASE("a key of an unknown type hides neither a right nor a changed key") {
    const std::string unheard_of = "gpu1 ssh-foo AAAAB3NzaC1mb28AAAABeA==\n";
    CHECK(trust_in(unheard_of + "gpu1 " + key.text) == Trust::trusted);
    CHECK(trust_in(unheard_of + "gpu1 " + other_key.text) == Trust::changed);
    CHECK(trust_in(unheard_of) == Trust::unknown);
}

TEST_CASE("the type of a key is the name inside its blob") {
    CHECK(key_type_of(key.blob()) == "ssh-ed25519");
    CHECK(key_type_of(ecdsa_384_key.blob()) == "ecdsa-sha2-nistp384");
    CHECK(key_type_of(rsa_key.blob()) == "ssh-rsa");
    CHECK(key_type_of(ssh_string("ssh-foo")) == "ssh-foo");
    CHECK(key_type_of("").empty());
    CHECK(key_type_of("ssh").empty());
    CHECK(key_type_of(std::string("\0\0\0\7ssh-fo", 10)).empty());
    CHECK(key_type_of(ssh_string("")).empty());
    CHECK(key_type_of(std::string("\xff\xff\xff\xffssh-foo", 11)).empty());
}

TEST_CASE("a fingerprint is the one that ssh-keygen prints") {
    for (const SampleKey& one :
         {ed25519_key, other_ed25519_key, ecdsa_key, ecdsa_384_key, rsa_key}) {
        CHECK(fingerprint(one.blob()) == one.fingerprint);
    }
}

TEST_CASE("a file is read whole and called by its path") {
    const TempDir folder;
    const std::string path = folder.write("known_hosts", "gpu1 " + key.text + "\n");
    const auto file = KnownHostsFile::read(path);
    REQUIRE(file.has_value());
    const KnownHosts known({std::make_shared<const KnownHostsFile>(*file)});
    const TrustJudgement judgement = known.judge(gpu1, key.blob());
    CHECK(judgement.trust == Trust::trusted);
    CHECK(judgement.file == path);
}

TEST_CASE("an empty file is a file, a missing one and a folder are none") {
    const TempDir folder;
    CHECK(KnownHostsFile::read(folder.write("empty", "")).has_value());
    errno = 0;
    CHECK_FALSE(KnownHostsFile::read(folder.file("missing")).has_value());
    CHECK(errno == ENOENT);
    errno = 0;
    CHECK_FALSE(KnownHostsFile::read(folder.path()).has_value());
    CHECK(errno == EISDIR);
}

TEST_CASE("ten thousand hashed lines are parsed and searched") {
    std::string text;
    for (int i = 0; i < 10'000; ++i) text += hashed_gpu2 + " " + other_key.text + "\n";
    text += hashed_gpu1 + " " + key.text + "\n";
    const KnownHosts known = known_hosts_of({text});
    CHECK(known.judge(gpu1, key.blob()).line == 10'001);
    CHECK(known.judge({"gpu2", 22}, key.blob()).trust == Trust::changed);
    CHECK(known.judge({"gpu3", 22}, key.blob()).trust == Trust::unknown);
}
