// What we write is what the real ssh reads, and the other way round.

#include <thread>

#include "gpumuster/transport/ssh/known_hosts_writer.hpp"
#include "support/catch.hpp"
#include "transport/ssh/host_key_samples.hpp"
#include "transport/trust/piped_sshd.hpp"
#include "transport/trust/sample_keys.hpp"

using namespace gpumuster;
using namespace gpumuster::test;

namespace {

const std::vector<HostKeyName> names{
    {"gpu1", 22}, {"gpu1.example", 2222}, {"2001:db8::7", 22}, {"2001:db8::8", 2222}};

KeyBlob blob_of(const std::string& public_key) {
    return decode_base64(public_key.substr(public_key.find(' ') + 1)).value();
}

SshQuestion question_about(const HostKeyName& host, const std::string& file) {
    SshQuestion question;
    question.host = host;
    question.user_files = {file};
    return question;
}

}  // namespace

TEST_CASE("ssh accepts the lines that were written for new keys") {
    if (component_missing("sshd") || component_missing("ssh")) return;
    const PipedSshd sshd;
    for (const NameForm form : {NameForm::plain, NameForm::hashed}) {
        const TempDir folder;
        const std::string file = folder.write("known_hosts", "# no end");
        KnownHostsWriter writer(file);
        for (const HostKeyName& host : names) {
            CAPTURE(host.address, host.port);
            SshQuestion question = question_about(host, file);
            CHECK_FALSE(sshd.is_accepted_by_ssh(question));
            CHECK(writer.append(host, blob_of(sshd.ed25519()), form).is_written);
            CHECK(sshd.is_accepted_by_ssh(question));
        }
    }
}

TEST_CASE("ssh accepts a key that was written under an alias, even one that is a pattern") {
    if (component_missing("sshd") || component_missing("ssh")) return;
    const PipedSshd sshd;
    const TempDir folder;
    const std::string file = folder.file("known_hosts");
    KnownHostsWriter writer(file);
    for (const std::string alias : {"cluster", "*"}) {
        CHECK(writer.append({alias, 22}, blob_of(sshd.ed25519()), NameForm::plain).is_written);
        SshQuestion question = question_about({"gpu1", 2222}, file);
        question.alias = alias;
        CHECK(sshd.is_accepted_by_ssh(question));
    }
    CHECK_FALSE(sshd.is_accepted_by_ssh(question_about({"gpu1", 2222}, file)));
}

TEST_CASE("what ssh itself wrote for a new key is known, and not written again") {
    if (component_missing("sshd") || component_missing("ssh")) return;
    const PipedSshd sshd;
    for (const bool hashes_names : {false, true}) {
        const TempDir folder;
        const std::string file = folder.write("known_hosts", "");
        KnownHostsWriter writer(file);
        for (const HostKeyName& host : names) {
            CAPTURE(host.address, host.port, hashes_names);
            SshQuestion question = question_about(host, file);
            question.strict = "accept-new";
            question.hashes_names = hashes_names;
            CHECK(sshd.is_accepted_by_ssh(question));
            const std::string before = read_file(file);
            const AppendOutcome outcome =
                writer.append(host, blob_of(sshd.ed25519()), NameForm::plain);
            CHECK(outcome.judgement.trust == Trust::trusted);
            CHECK(read_file(file) == before);
        }
    }
}

TEST_CASE("ssh and we write the same file at once, and every line is whole") {
    if (component_missing("sshd") || component_missing("ssh")) return;
    const PipedSshd sshd;
    const TempDir folder;
    const std::string file = folder.write("known_hosts", "");
    constexpr int keys = 200;
    constexpr int logins = 5;
    std::thread ours([&] {
        KnownHostsWriter writer(file);
        for (int i = 0; i < keys; ++i) {
            const HostKeyName host{"node" + std::to_string(i), 22};
            writer.append(host, numbered_key(i), NameForm::plain);
        }
    });
    std::thread theirs([&] {
        for (int i = 0; i < logins; ++i) {
            SshQuestion question = question_about({"login" + std::to_string(i), 22}, file);
            question.strict = "accept-new";
            sshd.is_accepted_by_ssh(question);
        }
    });
    ours.join();
    theirs.join();
    const std::string text = read_file(file);
    CHECK(lines_of(text).size() == keys + logins);
    const KnownHosts known = known_hosts_of({text});
    for (int i = 0; i < keys; ++i) {
        CAPTURE(i);
        CHECK(known.judge({"node" + std::to_string(i), 22}, numbered_key(i)).trust ==
              Trust::trusted);
    }
    for (int i = 0; i < logins; ++i) {
        CAPTURE(i);
        CHECK(known.judge({"login" + std::to_string(i), 22}, blob_of(sshd.ed25519())).trust ==
              Trust::trusted);
    }
}
