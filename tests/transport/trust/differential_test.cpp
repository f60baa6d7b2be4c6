// The same known_hosts files and the same keys before the real ssh and before judge().

#include <algorithm>
#include <map>

#include "gpumuster/transport/trust/known_hosts_line.hpp"
#include "support/catch.hpp"
#include "transport/trust/piped_sshd.hpp"
#include "transport/trust/sample_keys.hpp"

using namespace gpumuster;
using namespace gpumuster::test;

namespace {

const HostKeyName gpu1{"gpu1", 22};
const HostKeyName gpu1_2222{"gpu1", 2222};

const std::string ed25519 = "ssh-ed25519";
const std::string whatever_is_known;  // of both keys, the one that is asked for

struct Row {
    std::string sentence;
    // {ed}, {ec}: the host's keys; {other}, {other ec}: those of others; {authority}.
    std::vector<std::string> user_files;
    bool is_accepted = false;
    HostKeyName host = gpu1;
    std::string shown = ed25519;
    std::string alias;
    std::vector<std::string> global_files;
};

std::string replaced(std::string text, const std::string& what, const std::string& by) {
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what)) {
        text.replace(at, what.size(), by);
    }
    return text;
}

// {#NAME}: the name, hashed.
std::string with_hashed_names(std::string text) {
    const HashedName::Bytes salt{1, 2, 3, 4, 5, 6, 7};
    for (std::size_t at = text.find("{#"); at != std::string::npos; at = text.find("{#")) {
        const std::size_t end = text.find('}', at);
        const std::string name = text.substr(at + 2, end - at - 2);
        text.replace(at, end + 1 - at, write_hashed_name(hash_name(name, salt)));
    }
    return text;
}

std::string filled(const PipedSshd& sshd, std::string text) {
    const std::map<std::string, std::string> keys{{"{ed}", sshd.ed25519()},
                                                  {"{ec}", sshd.ecdsa()},
                                                  {"{other}", other_ed25519_key.text},
                                                  {"{other ec}", ecdsa_key.text},
                                                  {"{authority}", sshd.authority()}};
    for (const auto& [mark, key] : keys) text = replaced(std::move(text), mark, key);
    return with_hashed_names(std::move(text));
}

// Both sides, with the row's files on disk.
class Court {
public:
    Court(const PipedSshd& sshd, const Row& row) : sshd_(sshd), row_(row) {
        for (const std::string& text : row.user_files) question_.user_files.push_back(keep(text));
        for (const std::string& text : row.global_files) {
            question_.global_files.push_back(keep(text));
        }
        question_.host = row.host;
        question_.alias = row.alias;
        question_.algorithms = row.shown;
    }

    bool ssh_accepts(const std::string& strict = "yes") {
        question_.strict = strict;
        return sshd_.is_accepted_by_ssh(question_);
    }

    TrustJudgement judgement() const {
        return KnownHosts(files_).judge(name(), blob(shown_to_us()));
    }

    bool needs_certificates() const { return KnownHosts(files_).needs_certificates(name()); }

private:
    std::string keep(const std::string& text) {
        std::vector<std::string> names{"first", "second", "third"};
        const std::string path = folder_.write(names.at(files_.size()), filled(sshd_, text));
        files_.push_back(
            std::make_shared<const KnownHostsFile>(KnownHostsFile::read(path).value()));
        return path;
    }

    HostKeyName name() const {
        return row_.alias.empty() ? row_.host : HostKeyName{row_.alias, 22};
    }

    std::string shown_to_us() const {
        if (row_.shown == ed25519) return sshd_.ed25519();
        if (row_.shown != whatever_is_known) return sshd_.ecdsa();
        const std::vector<std::string> known = KnownHosts(files_).key_types(name());
        const bool is_ed25519_first =
            known.empty() || std::find(known.begin(), known.end(), ed25519) != known.end();
        return is_ed25519_first ? sshd_.ed25519() : sshd_.ecdsa();
    }

    static KeyBlob blob(const std::string& key) {
        return decode_base64(key.substr(key.find(' ') + 1)).value();
    }

    const PipedSshd& sshd_;
    const Row& row_;
    TempDir folder_;
    SshQuestion question_;
    std::vector<std::shared_ptr<const KnownHostsFile>> files_;
};

std::string cut_key() {
    return ed25519_key.text.substr(0, 40);
}

std::vector<Row> rows() {
    const std::string long_line = "gpu1," + std::string(9'000, 'x') + " {other ec}\n";
    const std::string unknown_type = "gpu1 ssh-foo AAAAB3NzaC1mb28AAAABeA==\n";
    const std::string unreadable =
        "gpu1\ngpu1 ssh-ed25519\ngpu1 ssh-ed25519 !!!\n@what gpu1 {other}\n"
        "gpu1 " +
        cut_key() + "\n|1|cut {other}\n";
    const std::string ecdsa = "ecdsa-sha2-nistp256";
    return {
        {"the host's line", {"gpu1 {ed}\n"}, true},
        {"no line at all", {""}, false},
        {"another key", {"gpu1 {other}\n"}, false},
        {"another host's line", {"gpu2 {ed}\n"}, false},
        {"another key and the right one", {"gpu1 {other}\ngpu1 {ed}\n"}, true},
        {"a line without an end", {"gpu1 {ed}"}, true},
        {"a comment behind the key", {"gpu1 {ed} root@gpu1 since May\n"}, true},
        {"one of several names", {"login,gpu1,10.0.0.7 {ed}\n"}, true},
        {"blanks before the name", {"  gpu1 {ed}\n"}, true},
        {"tabs", {"gpu1\t\t" + std::string("{ed}\n")}, true},
        {"tabs between all fields", {"\tgpu1\tssh-ed25519\tX"}, false},
        {"comments and empty lines", {"# gpu1 {other}\n\n  # more\ngpu1 {ed}\n"}, true},
        {"a line that is commented out", {"#gpu1 {ed}\n"}, false},
        {"carriage returns", {"gpu2 {other}\r\ngpu1 {ed}\r\n"}, true},
        {"a name in upper case in the file", {"GPU1 {ed}\n"}, true},
        {"a name in upper case on the command line", {"gpu1 {ed}\n"}, true, {"GPU1", 22}},
        {"a dot at the end of the name", {"gpu1 {ed}\n"}, false, {"gpu1.", 22}},
        {"a wildcard", {"gpu? {ed}\n"}, true},
        {"a wildcard for another", {"login* {ed}\n"}, false},
        {"a negated name", {"gpu*,!gpu1 {ed}\n"}, false},
        {"a negated name before the wildcard", {"!gpu1,* {ed}\n"}, false},
        {"a negated other name", {"gpu*,!gpu2 {ed}\n"}, true},
        {"a negated name with its port", {"[gpu*]:2222,![gpu1]:2222 {ed}\n"}, false, gpu1_2222},

        {"a revoked key behind its line", {"gpu1 {ed}\n@revoked gpu1 {ed}\n"}, false},
        {"a revoked key before its line", {"@revoked * {ed}\ngpu1 {ed}\n"}, false},
        {"another key that is revoked", {"gpu1 {ed}\n@revoked gpu1 {other}\n"}, true},
        {"a key that is revoked for others", {"gpu1 {ed}\n@revoked *,!gpu1 {ed}\n"}, true},
        {"a key that is revoked under a hash", {"gpu1 {ed}\n@revoked {#gpu1} {ed}\n"}, false},
        {"a key that the global file revokes",
         {"gpu1 {ed}\n"},
         false,
         gpu1,
         ed25519,
         "",
         {"@revoked gpu1 {ed}\n"}},
        {"an authority alone", {"@cert-authority gpu1 {other}\n"}, false},
        {"the host's own key as an authority", {"@cert-authority gpu1 {ed}\n"}, false},
        {"an authority beside the host's line", {"@cert-authority * {other}\ngpu1 {ed}\n"}, true},
        {"an unknown marker", {"@trusted gpu1 {ed}\n"}, false},
        {"two markers", {"@cert-authority @revoked gpu1 {ed}\ngpu1 {ed}\n"}, true},

        {"an unknown type, then another key", {unknown_type + "gpu1 {other}\n"}, false},
        {"an unknown type, then the right key", {unknown_type + "gpu1 {ed}\n"}, true},
        {"a long line, then another key", {long_line + "gpu1 {other}\n"}, false},
        {"a long line, then the right key", {long_line + "gpu1 {ed}\n"}, true},
        {"unreadable lines, then another key", {unreadable + "gpu1 {other}\n"}, false},
        {"unreadable lines, then the right key", {unreadable + "gpu1 {ed}\n"}, true},

        {"the user's file wrong, the global one right",
         {"gpu1 {other}\n"},
         true,
         gpu1,
         ed25519,
         "",
         {"gpu1 {ed}\n"}},
        {"the user's file right, the global one wrong",
         {"gpu1 {ed}\n"},
         true,
         gpu1,
         ed25519,
         "",
         {"gpu1 {other}\n"}},
        {"the second of the user's files", {"gpu2 {ed}\n", "gpu1 {ed}\n"}, true},
        {"the second of the global files", {""}, true, gpu1, ed25519, "", {"", "gpu1 {ed}\n"}},

        {"the name with its port", {"[gpu1]:2222 {ed}\n"}, true, gpu1_2222},
        {"the name with another port", {"[gpu1]:2223 {ed}\n"}, false, gpu1_2222},
        {"the name with any port", {"[gpu1]:* {ed}\n"}, true, gpu1_2222},
        {"the name with any port, on 22", {"[gpu1]:* {ed}\n"}, false},
        {"the name with port 22", {"[gpu1]:22 {ed}\n"}, false},
        {"the bare name for a port", {"gpu1 {ed}\n"}, true, gpu1_2222},
        {"the bare name with another key for a port", {"gpu1 {other}\n"}, false, gpu1_2222},
        {"the bare name where the port has another key",
         {"gpu1 {ed}\n[gpu1]:2222 {other}\n"},
         false,
         gpu1_2222},
        {"the bare name where the port has a key of another type",
         {"gpu1 {ed}\n[gpu1]:2222 {other ec}\n"},
         false,
         gpu1_2222},
        {"the bare name where the port has an authority",
         {"gpu1 {ed}\n@cert-authority [gpu1]:2222 {other}\n"},
         true,
         gpu1_2222},
        {"the bare name revoked, its line for a port",
         {"gpu1 {ed}\n@revoked gpu1 {ed}\n"},
         false,
         gpu1_2222},
        {"the bare name revoked where the port has the key",
         {"[gpu1]:2222 {ed}\n@revoked gpu1 {ed}\n"},
         true,
         gpu1_2222},
        {"an IPv6 address", {"2001:db8::7 {ed}\n"}, true, {"2001:db8::7", 22}},
        {"an IPv6 address with a port", {"[2001:db8::7]:2222 {ed}\n"}, true, {"2001:db8::7", 2222}},

        {"a hashed name", {"{#gpu1} {ed}\n"}, true},
        {"a hashed name with another key", {"{#gpu1} {other}\n"}, false},
        {"another's hashed name", {"{#gpu2} {ed}\n"}, false},
        {"a hashed name with its port", {"{#[gpu1]:2222} {ed}\n"}, true, gpu1_2222},
        {"a hashed bare name for a port", {"{#gpu1} {ed}\n"}, true, gpu1_2222},
        {"a name in upper case that was hashed", {"{#GPU1} {ed}\n"}, false},

        {"the alias", {"cluster {ed}\n"}, true, gpu1, ed25519, "cluster"},
        {"the name where there is an alias", {"gpu1 {ed}\n"}, false, gpu1, ed25519, "cluster"},
        {"the alias for a port", {"cluster {ed}\n"}, true, gpu1_2222, ed25519, "cluster"},
        {"the alias with a port", {"[cluster]:2222 {ed}\n"}, false, gpu1_2222, ed25519, "cluster"},
        {"a hashed alias", {"{#cluster} {ed}\n"}, true, gpu1_2222, ed25519, "cluster"},
        {"an alias in upper case", {"cluster {ed}\n"}, true, gpu1, ed25519, "Cluster"},
        {"an alias in upper case, hashed", {"{#cluster} {ed}\n"}, true, gpu1, ed25519, "Cluster"},
        {"an alias that is a pattern", {"* {ed}\n"}, true, gpu1, ed25519, "*"},

        {"known by a key of another type", {"gpu1 {ec}\n"}, false},
        {"known by both keys", {"gpu1 {ec}\ngpu1 {ed}\n"}, true, gpu1, ecdsa},
        {"known by the key that is not asked for by default",
         {"gpu1 {ec}\n"},
         true,
         gpu1,
         whatever_is_known},
        {"the same under a hash, between hashed keys of other hosts",
         {"{#gpu2} {ed}\n{#gpu1} {ec}\n{#gpu3} {ed}\n"},
         true,
         gpu1,
         whatever_is_known},
        {"the same beside hashed keys of other hosts",
         {"{#gpu2} {ed}\ngpu1 {ec}\n"},
         true,
         gpu1,
         whatever_is_known},
        {"the same in a file of its own",
         {"{#gpu2} {ed}\n", "{#gpu1} {ec}\n"},
         true,
         gpu1,
         whatever_is_known},
        {"another key of the type that is known",
         {"gpu1 {other ec}\n"},
         false,
         gpu1,
         whatever_is_known},
    };
}

}  // namespace

TEST_CASE("ssh and judge accept and refuse the same keys") {
    if (component_missing("sshd") || component_missing("ssh")) return;
    const PipedSshd sshd;
    for (const Row& row : rows()) {
        INFO(row.sentence);
        Court court(sshd, row);
        CHECK(court.ssh_accepts() == row.is_accepted);
        CHECK((court.judgement().trust == Trust::trusted) == row.is_accepted);
    }
}

TEST_CASE("what ssh lets pass without checks is refused all the same") {
    if (component_missing("sshd") || component_missing("ssh")) return;
    const PipedSshd sshd;
    const Row changed{"", {"gpu1 {other}\n"}};
    Court changed_court(sshd, changed);
    CHECK(changed_court.ssh_accepts("no"));
    CHECK(changed_court.judgement().trust == Trust::changed);

    const Row revoked{"", {"@revoked gpu1 {ed}\n"}};
    Court revoked_court(sshd, revoked);
    CHECK_FALSE(revoked_court.ssh_accepts("accept-new"));
    CHECK(revoked_court.ssh_accepts("no"));
    CHECK(revoked_court.judgement().trust == Trust::revoked);

    // ssh reads the bare name only for trust, so that for it this key is new.
    Row revoked_bare{"", {"@revoked gpu1 {ed}\n"}};
    revoked_bare.host = gpu1_2222;
    Court bare_court(sshd, revoked_bare);
    CHECK(bare_court.judgement().trust == Trust::revoked);
    CHECK(bare_court.ssh_accepts("accept-new"));
}

TEST_CASE("a host that ssh trusts by its certificate is one that needs certificates") {
    if (component_missing("sshd") || component_missing("ssh")) return;
    const PipedSshd sshd("gpu1");
    struct Case {
        std::string sentence;
        std::string file;
        HostKeyName host;
        bool is_accepted_by_ssh;
        Trust trust;
        bool needs_certificates;
    };
    const std::vector<Case> cases{
        {"its authority", "@cert-authority gpu* {authority}\n", gpu1, true,
         Trust::certificate_authority, true},
        {"its authority, hashed", "@cert-authority {#gpu1} {authority}\n", gpu1, true,
         Trust::certificate_authority, true},
        {"its authority under the port", "@cert-authority [gpu1]:2222 {authority}\n", gpu1_2222,
         true, Trust::certificate_authority, true},
        {"its authority under the bare name", "@cert-authority gpu1 {authority}\n", gpu1_2222, true,
         Trust::unknown, true},
        {"its authority and a plain line", "@cert-authority gpu1 {authority}\ngpu1 {ed}\n", gpu1,
         true, Trust::trusted, false},
        {"another authority", "@cert-authority gpu1 {other}\n", gpu1, false,
         Trust::certificate_authority, true},
        {"an authority for other hosts", "@cert-authority login* {authority}\n", gpu1, false,
         Trust::unknown, false},
        {"no certificate for that name", "@cert-authority gpu2 {authority}\n",
         HostKeyName{"gpu2", 22}, false, Trust::certificate_authority, true},
        {"the key inside the certificate revoked",
         "@cert-authority gpu1 {authority}\n@revoked gpu1 {ed}\n", gpu1, false, Trust::revoked,
         true},
        {"the authority itself revoked",
         "@cert-authority gpu1 {authority}\n@revoked gpu1 {authority}\n", gpu1, false,
         Trust::certificate_authority, true},
    };
    for (const Case& one : cases) {
        INFO(one.sentence);
        Row row{one.sentence, {one.file}};
        row.host = one.host;
        row.shown = "ssh-ed25519-cert-v01@openssh.com,ssh-ed25519";
        Court court(sshd, row);
        CHECK(court.ssh_accepts() == one.is_accepted_by_ssh);
        row.shown = ed25519;
        CHECK(court.judgement().trust == one.trust);
        CHECK(court.needs_certificates() == one.needs_certificates);
    }
}
