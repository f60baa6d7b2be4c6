#include "gpumuster/transport/trust/known_hosts.hpp"

#include "support/catch.hpp"
#include "transport/trust/sample_keys.hpp"

using namespace gpumuster;
using namespace gpumuster::test;

namespace {

const HostKeyName gpu1{"gpu1", 22};
const HostKeyName gpu1_2222{"gpu1", 2222};
const SampleKey& key = ed25519_key;
const SampleKey& other_key = other_ed25519_key;

using Types = std::vector<std::string>;

}  // namespace

TEST_CASE("a key that stands on the host's line is trusted, and the line is named") {
    const TrustJudgement judgement = judge("# mine\n\ngpu1 " + key.text + "\n", gpu1, key);
    CHECK(judgement.trust == Trust::trusted);
    CHECK(judgement.file == "first");
    CHECK(judgement.line == 3);
    CHECK(judgement.known_types.empty());
}

TEST_CASE("a host without a line is unknown") {
    const TrustJudgement judgement = judge("gpu2 " + key.text + "\n", gpu1, key);
    CHECK(judgement.trust == Trust::unknown);
    CHECK(judgement.file.empty());
    CHECK(judgement.line == 0);
    CHECK(judgement.known_types.empty());
    CHECK(judge("", gpu1, key).trust == Trust::unknown);
    CHECK(KnownHosts({}).judge(gpu1, key.blob()).trust == Trust::unknown);
}

TEST_CASE("another key of the same type is a changed key, with the line that says so") {
    const TrustJudgement judgement =
        judge("gpu2 " + key.text + "\ngpu1 " + other_key.text + "\n", gpu1, key);
    CHECK(judgement.trust == Trust::changed);
    CHECK(judgement.file == "first");
    CHECK(judgement.line == 2);
    CHECK(judgement.known_types == Types{"ssh-ed25519"});
}

TEST_CASE("of several other keys of the type the first line is named") {
    const std::string text =
        "gpu1 " + ecdsa_key.text + "\ngpu1 " + other_key.text + "\n* " + other_key.text + "\n";
    const TrustJudgement judgement = judge(text, gpu1, key);
    CHECK(judgement.trust == Trust::changed);
    CHECK(judgement.line == 2);
    CHECK(judgement.known_types == Types{"ecdsa-sha2-nistp256", "ssh-ed25519"});
}

TEST_CASE("one right key among wrong ones of the same type is enough") {
    const std::string text = "gpu1 " + other_key.text + "\ngpu1 " + key.text + "\n";
    CHECK(judge(text, gpu1, key).trust == Trust::trusted);
    CHECK(judge(text, gpu1, key).line == 2);
}

TEST_CASE("keys of other types leave a host unknown and are listed") {
    const std::string text = "gpu1 " + ecdsa_key.text + "\ngpu1 " + rsa_key.text + "\ngpu1 " +
                             ecdsa_key.text + "\ngpu2 " + key.text + "\n";
    const TrustJudgement judgement = judge(text, gpu1, key);
    CHECK(judgement.trust == Trust::unknown);
    CHECK(judgement.line == 0);
    CHECK(judgement.known_types == Types{"ecdsa-sha2-nistp256", "ssh-rsa"});
}

TEST_CASE("ecdsa keys on different curves are of different types") {
    CHECK(judge("gpu1 " + ecdsa_384_key.text, gpu1, ecdsa_key).trust == Trust::unknown);
}

TEST_CASE("a revoked key is refused wherever else it is trusted") {
    const std::string trusted = "gpu1 " + key.text + "\n";
    const std::string revoked = "@revoked gpu1 " + key.text + "\n";
    CHECK(judge(trusted + revoked, gpu1, key).trust == Trust::revoked);
    CHECK(judge(trusted + revoked, gpu1, key).line == 2);
    CHECK(judge(revoked + trusted, gpu1, key).trust == Trust::revoked);
    CHECK(judge("@revoked * " + key.text + "\n" + trusted, gpu1, key).trust == Trust::revoked);

    const TrustJudgement judgement = known_hosts_of({trusted, revoked}).judge(gpu1, key.blob());
    CHECK(judgement.trust == Trust::revoked);
    CHECK(judgement.file == "second");
    CHECK(judgement.line == 1);
}

TEST_CASE("a revocation concerns its own key and its own host only") {
    const std::string trusted = "gpu1 " + key.text + "\n";
    CHECK(judge(trusted + "@revoked gpu1 " + other_key.text, gpu1, key).trust == Trust::trusted);
    CHECK(judge(trusted + "@revoked gpu2 " + key.text, gpu1, key).trust == Trust::trusted);
    CHECK(judge(trusted + "@revoked *,!gpu1 " + key.text, gpu1, key).trust == Trust::trusted);
}

TEST_CASE("a revoked line makes no other key known or changed") {
    const TrustJudgement judgement = judge("@revoked gpu1 " + other_key.text, gpu1, key);
    CHECK(judgement.trust == Trust::unknown);
    CHECK(judgement.known_types.empty());
}

TEST_CASE("a certificate authority alone trusts no plain key, its own least of all") {
    CHECK(judge("@cert-authority gpu1 " + other_key.text, gpu1, key).trust ==
          Trust::certificate_authority);
    CHECK(judge("@cert-authority * " + key.text, gpu1, key).trust == Trust::certificate_authority);
    CHECK(judge("@cert-authority *,!gpu1 " + key.text, gpu1, key).trust == Trust::unknown);
}

TEST_CASE("beside a certificate authority the plain lines decide") {
    const std::string authority = "@cert-authority * " + rsa_key.text + "\n";
    CHECK(judge(authority + "gpu1 " + key.text, gpu1, key).trust == Trust::trusted);
    CHECK(judge(authority + "gpu1 " + other_key.text, gpu1, key).trust == Trust::changed);
    CHECK(judge(authority + "gpu1 " + ecdsa_key.text, gpu1, key).trust == Trust::unknown);
    CHECK(judge("gpu1 " + ecdsa_key.text + "\n" + authority, gpu1, key).trust == Trust::unknown);
}

TEST_CASE("any file that trusts the key is enough") {
    const std::string wrong = "gpu1 " + other_key.text + "\n";
    const std::string right = "gpu1 " + key.text + "\n";
    const TrustJudgement judgement = known_hosts_of({wrong, right}).judge(gpu1, key.blob());
    CHECK(judgement.trust == Trust::trusted);
    CHECK(judgement.file == "second");
    CHECK(known_hosts_of({right, wrong}).judge(gpu1, key.blob()).trust == Trust::trusted);

    const TrustJudgement changed = known_hosts_of({"", wrong, wrong}).judge(gpu1, key.blob());
    CHECK(changed.trust == Trust::changed);
    CHECK(changed.file == "second");
}

TEST_CASE("another port is another name") {
    CHECK(judge("[gpu1]:2222 " + key.text, gpu1_2222, key).trust == Trust::trusted);
    CHECK(judge("[gpu1]:2222 " + key.text, gpu1, key).trust == Trust::unknown);
    CHECK(judge("[gpu1]:2223 " + key.text, gpu1_2222, key).trust == Trust::unknown);
    CHECK(judge("[gpu1]:22 " + key.text, gpu1, key).trust == Trust::unknown);
    CHECK(judge("[gpu1]:2222 " + other_key.text, gpu1_2222, key).trust == Trust::changed);
    CHECK(judge("[gpu1]:* " + key.text, gpu1_2222, key).trust == Trust::trusted);
    CHECK(judge("[gpu1]:* " + key.text, gpu1, key).trust == Trust::unknown);
}

TEST_CASE("a line for the bare name trusts on any port but condemns on none") {
    CHECK(judge("gpu1 " + key.text, gpu1_2222, key).trust == Trust::trusted);
    CHECK(judge(hashed_gpu1 + " " + key.text, gpu1_2222, key).trust == Trust::trusted);
    CHECK(judge("gpu? " + key.text, gpu1_2222, key).trust == Trust::trusted);
    CHECK(judge("gpu1 " + key.text + "\n@revoked gpu1 " + key.text, gpu1_2222, key).trust ==
          Trust::revoked);

    const TrustJudgement judgement = judge("gpu1 " + other_key.text, gpu1_2222, key);
    CHECK(judgement.trust == Trust::unknown);
    CHECK(judgement.known_types.empty());
}

TEST_CASE("the bare name is not asked when a plain line speaks for the port") {
    const std::string bare = "gpu1 " + key.text + "\n";
    CHECK(judge(bare + "[gpu1]:2222 " + other_key.text, gpu1_2222, key).trust == Trust::changed);
    CHECK(judge(bare + "[gpu1]:2222 " + ecdsa_key.text, gpu1_2222, key).trust == Trust::unknown);
    CHECK(judge(bare + "@cert-authority [gpu1]:2222 " + rsa_key.text, gpu1_2222, key).trust ==
          Trust::trusted);
    CHECK(judge("[gpu1]:2222 " + key.text + "\n@revoked gpu1 " + key.text, gpu1_2222, key).trust ==
          Trust::trusted);
}

TEST_CASE("host names are compared without case") {
    CHECK(judge("GPU1.Example.org " + key.text, {"gpu1.example.org", 22}, key).trust ==
          Trust::trusted);
    CHECK(judge("gpu1.example.org " + key.text, {"GPU1.Example.ORG", 22}, key).trust ==
          Trust::trusted);
    CHECK(judge(hashed_gpu1 + " " + key.text, {"GPU1", 22}, key).trust == Trust::trusted);
    CHECK(judge("[GPU1]:2222 " + key.text, gpu1_2222, key).trust == Trust::trusted);
}

TEST_CASE("IPv6 addresses stand bare on port 22 and in brackets on another") {
    const HostKeyName on_22{"2001:db8::7", 22};
    const HostKeyName on_2222{"2001:db8::7", 2222};
    CHECK(judge("2001:db8::7 " + key.text, on_22, key).trust == Trust::trusted);
    CHECK(judge("[2001:db8::7]:2222 " + key.text, on_2222, key).trust == Trust::trusted);
    CHECK(judge("[2001:db8::7] " + key.text, on_22, key).trust == Trust::unknown);
    CHECK(judge("[2001:db8::8]:2222 " + key.text, on_2222, key).trust == Trust::unknown);
}

TEST_CASE("the types to ask for come in the order of the lines, each once") {
    const std::string text = "gpu1 " + ecdsa_key.text + "\ngpu2 " + rsa_key.text + "\ngpu1 " +
                             key.text + "\ngpu1 " + ecdsa_key.text + "\n";
    CHECK(known_hosts_of({text}).key_types(gpu1) == Types{"ecdsa-sha2-nistp256", "ssh-ed25519"});
    CHECK(known_hosts_of({text, "gpu1 " + rsa_key.text}).key_types(gpu1) ==
          Types{"ecdsa-sha2-nistp256", "ssh-ed25519", "ssh-rsa"});
    CHECK(known_hosts_of({text}).key_types({"gpu3", 22}).empty());
    CHECK(known_hosts_of({text}).key_types(gpu1_2222).empty());
}

TEST_CASE("revoked keys and authorities are not types to ask for") {
    const std::string text =
        "@revoked gpu1 " + key.text + "\n@cert-authority gpu1 " + rsa_key.text + "\n";
    CHECK(known_hosts_of({text}).key_types(gpu1).empty());
}

TEST_CASE("hashed lines are searched unless all are of one type and nothing else speaks") {
    const std::string one_type = hashed_gpu2 + " " + ecdsa_key.text + "\n";
    CHECK(known_hosts_of({one_type}).key_types(gpu1) == Types{"ecdsa-sha2-nistp256"});

    const std::string two_types = one_type + hashed_gpu1 + " " + rsa_key.text + "\n";
    CHECK(known_hosts_of({two_types}).key_types(gpu1) == Types{"ssh-rsa"});
    CHECK(known_hosts_of({two_types}).key_types({"gpu3", 22}).empty());
}

TEST_CASE("hashed lines of others add no type to what a host is known by") {
    const std::string of_another = hashed_gpu2 + " " + key.text + "\n";
    const std::string plain = "gpu1 " + ecdsa_key.text + "\n";
    const std::string hashed = hashed_gpu1 + " " + ecdsa_key.text + "\n";
    CHECK(known_hosts_of({of_another + plain}).key_types(gpu1) == Types{"ecdsa-sha2-nistp256"});
    CHECK(known_hosts_of({of_another, plain}).key_types(gpu1) == Types{"ecdsa-sha2-nistp256"});
    CHECK(known_hosts_of({of_another, hashed}).key_types(gpu1) == Types{"ecdsa-sha2-nistp256"});
    const std::string revoked = "@revoked " + hashed_gpu2 + " " + rsa_key.text + "\n";
    CHECK(known_hosts_of({revoked}).key_types(gpu1).empty());
}

TEST_CASE("a host needs certificates when only an authority speaks for it") {
    const std::string authority = "@cert-authority *.cluster,[*]:2222 " + rsa_key.text + "\n";
    const HostKeyName inside{"gpu1.cluster", 22};
    CHECK(known_hosts_of({authority}).needs_certificates(inside));
    CHECK(known_hosts_of({"", authority}).needs_certificates(inside));
    CHECK(known_hosts_of({authority}).needs_certificates(gpu1_2222));
    CHECK_FALSE(known_hosts_of({authority}).needs_certificates(gpu1));
    CHECK_FALSE(known_hosts_of({}).needs_certificates(inside));
    CHECK_FALSE(known_hosts_of({"@revoked *.cluster " + rsa_key.text}).needs_certificates(inside));

    CHECK_FALSE(
        known_hosts_of({authority + "gpu1.cluster " + key.text}).needs_certificates(inside));
    CHECK_FALSE(known_hosts_of({authority, "gpu1.cluster " + key.text}).needs_certificates(inside));
    CHECK_FALSE(
        known_hosts_of({authority + "[gpu1]:2222 " + key.text}).needs_certificates(gpu1_2222));
    const std::string hashed_line = hashed_gpu1_port_2222 + " " + key.text;
    CHECK_FALSE(known_hosts_of({authority + hashed_line}).needs_certificates(gpu1_2222));
}

TEST_CASE("a host that is known by nothing is new, one that is known by another type is not") {
    CHECK(is_of_new_host(judge("gpu2 " + key.text, gpu1, key)));
    CHECK_FALSE(is_of_new_host(judge("gpu1 " + key.text, gpu1, key)));
    CHECK_FALSE(is_of_new_host(judge("gpu1 " + other_key.text, gpu1, key)));
    CHECK_FALSE(is_of_new_host(judge("gpu1 " + ecdsa_key.text, gpu1, key)));
    CHECK_FALSE(is_of_new_host(judge("@revoked gpu1 " + key.text, gpu1, key)));
    CHECK_FALSE(is_of_new_host(judge("@cert-authority gpu1 " + other_key.text, gpu1, key)));
}

TEST_CASE("a key that thousands of hosts share is found for each of them") {
    std::string text;
    for (int i = 0; i < 2'000; ++i) text += "node" + std::to_string(i) + " " + key.text + "\n";
    text += "rack* " + key.text + "\n" + hashed_gpu1 + " " + key.text + "\n";
    const KnownHosts known = known_hosts_of({text});
    CHECK(known.judge({"node1999", 22}, key.blob()).line == 2'000);
    CHECK(known.judge({"rack7", 22}, key.blob()).line == 2'001);
    CHECK(known.judge(gpu1, key.blob()).line == 2'002);
    CHECK(known.judge({"node2000", 22}, key.blob()).trust == Trust::unknown);
}

TEST_CASE("lines that are added count like those that were there, and their numbers go on") {
    KnownHostsFile file = KnownHostsFile::parse("# one\ngpu2 " + key.text, "first");
    file.add("gpu1 " + key.text + "\n");
    file.add(hashed_gpu1_port_2222 + " " + other_key.text + "\n");
    const KnownHosts known({std::make_shared<const KnownHostsFile>(file)});
    CHECK(known.judge(gpu1, key.blob()).line == 3);
    CHECK(known.judge(gpu1_2222, other_key.blob()).line == 4);
    CHECK(known.judge({"gpu2", 22}, key.blob()).line == 2);
}
