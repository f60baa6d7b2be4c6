#include "gpumuster/transport/ssh/credentials.hpp"

#include <filesystem>

#include "agent_lab.hpp"
#include "login_lab.hpp"
#include "support/catch.hpp"
#include "support/components.hpp"

using namespace gpumuster;
using namespace gpumuster::test;
using State = PrivateKey::State;

namespace {

// A user who gives these answers, one after the other; "-" declines.
struct User {
    std::vector<std::string> answers;
    std::vector<std::string> questions;

    CredentialOptions options() {
        CredentialOptions options;
        options.passphrase = [this](const std::string& path, int attempt) {
            questions.push_back(path + " " + std::to_string(attempt));
            std::optional<Secret> answer;
            if (answers.empty() || answers.front() == "-") return answer;
            answer.emplace(answers.front());
            answers.erase(answers.begin());
            return answer;
        };
        return options;
    }
};

std::string make_encrypted(const TempDir& folder, const std::string& name,
                           const std::vector<std::string>& form) {
    ProgramOrder order;
    order.argv = {"ssh-keygen", "-q", "-f", folder.file(name), "-N", "open sesame"};
    order.argv.insert(order.argv.end(), form.begin(), form.end());
    REQUIRE(run_program(order).status == 0);
    return folder.file(name);
}

Login with_defaults(std::vector<std::string> files) {
    Login login = login_to(22);
    login.identity_files = std::move(files);
    return login;
}

}  // namespace

TEST_CASE("an encrypted key of any format is opened by its passphrase, asked for once") {
    if (component_missing("ssh-keygen")) return;
    const auto form = GENERATE(values<std::vector<std::string>>({
        {"-t", "ed25519"},
        {"-t", "ecdsa", "-m", "PEM"},
        {"-t", "rsa", "-b", "2048", "-m", "PKCS8"},
    }));
    INFO(form.back());
    const TempDir folder;
    const std::string path = make_encrypted(folder, "key", form);
    const Login login = login_to(22, {path});
    User user;

    SECTION("right at once") {
        user.answers = {"open sesame"};
        const auto credentials = credentials_for(login, user.options());
        CHECK(credentials->identities_of(login).offers.size() == 1);
        CHECK(credentials->identities_of(login).troubles.empty());
        CHECK(user.questions == std::vector{path + " 1"});
    }
    SECTION("right at the third try") {
        user.answers = {"open", "sesame", "open sesame"};
        const auto credentials = credentials_for(login, user.options());
        CHECK(credentials->identities_of(login).offers.size() == 1);
        CHECK(user.questions == std::vector{path + " 1", path + " 2", path + " 3"});
    }
    SECTION("wrong three times") {
        user.answers = {"a", "b", "c", "open sesame"};
        const auto credentials = credentials_for(login, user.options());
        CHECK(credentials->identities_of(login).offers.empty());
        CHECK(credentials->identities_of(login).troubles ==
              std::vector{path + " is encrypted, and the passphrase was wrong"});
        CHECK(user.questions.size() == 3);
    }
    SECTION("declined") {
        user.answers = {"-"};
        const auto credentials = credentials_for(login, user.options());
        CHECK(credentials->identities_of(login).troubles ==
              std::vector{path + " is encrypted, and no passphrase was given"});
        CHECK(user.questions.size() == 1);
    }
    SECTION("an empty answer declines") {
        user.answers = {""};
        const auto credentials = credentials_for(login, user.options());
        CHECK(credentials->identities_of(login).offers.empty());
        CHECK(user.questions.size() == 1);
    }
    SECTION("nobody to ask") {
        const auto credentials = credentials_for(login);
        CHECK(credentials->identities_of(login).troubles == std::vector{path + " is encrypted"});
    }
}

TEST_CASE("a passphrase is asked for once, however many hosts want the key") {
    if (component_missing("ssh-keygen")) return;
    const TempDir folder;
    const std::string path = make_encrypted(folder, "key", {"-t", "ed25519"});
    std::vector<Target> targets;
    for (int i = 0; i < 5; ++i) {
        EffectiveSettings settings;
        settings.target = login_to(22, {path});
        settings.hops = {login_to(22, {path})};
        targets.push_back(Target{Host(), std::move(settings)});
    }
    for (const std::string answer : {"open sesame", "-"}) {
        User user;
        user.answers = {answer};
        const Credentials credentials(targets, user.options());
        CHECK(user.questions == std::vector{path + " 1"});
    }
}

TEST_CASE("a default key is asked for only where nothing else could be offered") {
    if (component_missing("ssh-keygen") || component_missing("ssh-agent")) return;
    const TempDir folder;
    const std::string locked = make_encrypted(folder, "locked", {"-t", "ed25519"});
    const std::string second = make_encrypted(folder, "second", {"-t", "ecdsa"});
    const ClientKey open = make_client_key(folder, "open");
    User user;
    user.answers = {"open sesame", "open sesame"};
    SECTION("another key is open") {
        credentials_for(with_defaults({locked, open.path}), user.options());
        CHECK(user.questions.empty());
    }
    SECTION("an agent has a key") {
        const RealAgent agent({open.path});
        Login login = with_defaults({locked});
        login.agent_socket = agent.socket();
        credentials_for(login, user.options());
        CHECK(user.questions.empty());
    }
    SECTION("nothing else is there, and the first is enough") {
        credentials_for(with_defaults({locked, second}), user.options());
        CHECK(user.questions == std::vector{locked + " 1"});
    }
    SECTION("public keys are switched off") {
        Login login = login_to(22, {locked});
        login.may_use_public_key = false;
        const auto credentials = credentials_for(login, user.options());
        CHECK(user.questions.empty());
        CHECK(credentials->identities_of(login).offers.empty());
        CHECK(credentials->identities_of(login).troubles ==
              std::vector<std::string>{"ssh_config switches PubkeyAuthentication off"});
    }
}

TEST_CASE("an RSA key smaller than RequiredRSASize is not offered, and named") {
    if (component_missing("ssh-keygen")) return;
    const TempDir folder;
    const ClientKey key = make_client_key(folder, "key", "rsa");
    Login login = login_to(22, {key.path});
    login.smallest_rsa_bits = 2048;
    CHECK(credentials_for(login)->identities_of(login).offers.size() == 1);
    login.smallest_rsa_bits = 2049;
    const Identities identities = credentials_for(login)->identities_of(login);
    CHECK(identities.offers.empty());
    CHECK(identities.troubles ==
          std::vector{key.path + " has 2048 bits, and RequiredRSASize is 2049"});
}

TEST_CASE("the order is ssh's: certificates, named keys of the agent, its others, files") {
    if (component_missing("ssh-keygen") || component_missing("ssh-agent")) return;
    const TempDir folder;
    const ClientKey authority = make_client_key(folder, "authority");
    const ClientKey file = make_client_key(folder, "file");
    const ClientKey both = make_client_key(folder, "both");
    const ClientKey other = make_client_key(folder, "other");
    sign_key(authority.path, file.path + ".pub", {"-n", "root"});
    const RealAgent agent({other.path, both.path});
    Login login = with_defaults({file.path, both.path, folder.file("none")});
    login.agent_socket = agent.socket();
    const auto credentials = credentials_for(login);
    const Identities identities = credentials->identities_of(login);
    std::vector<std::string> labels;
    for (const Identity& one : identities.offers) labels.push_back(one.label);
    REQUIRE(labels.size() == 4);
    CHECK(labels[0] == file.path + "-cert.pub");
    CHECK(labels[1] == both.path);
    CHECK_THAT(labels[2], ContainsSubstring("the agent's key test (SHA256:") ||
                              ContainsSubstring("the agent's key SHA256:"));
    CHECK(labels[3] == file.path);
    // A key that lies open in its file needs no agent.
    CHECK(identities.offers[1].key != nullptr);
    CHECK(identities.offers[2].key == nullptr);
    CHECK(identities.troubles.empty());
}

TEST_CASE("a certificate that cannot be used is a trouble, and the plain key stays") {
    if (component_missing("ssh-keygen")) return;
    const TempDir folder;
    const ClientKey authority = make_client_key(folder, "authority");
    const ClientKey key = make_client_key(folder, "key");
    const ClientKey other = make_client_key(folder, "other");
    sign_key(authority.path, other.path + ".pub", {"-n", "root"});
    Login login = login_to(22, {key.path});
    const std::string certificate = other.path + "-cert.pub";
    const std::string text = read_file(certificate);
    struct Case {
        std::string path;
        std::string trouble;
    };
    const std::vector<Case> cases{
        {folder.file("none"), "the certificate " + folder.file("none") + " does not exist"},
        {folder.path(), "the certificate " + folder.path() + " cannot be read"},
        {folder.write("empty", ""),
         folder.file("empty") + " is no certificate that libssh can use"},
        {folder.write("torn", text.substr(0, text.size() / 2)),
         folder.file("torn") + " is no certificate that libssh can use"},
        {key.path + ".pub", key.path + ".pub is no certificate that libssh can use"},
        {key.path, key.path + " is no certificate that libssh can use"},
        {certificate, "the private key of the certificate " + certificate + " is missing"},
    };
    for (const Case& one : cases) {
        login.certificate_files = {one.path};
        const auto credentials = credentials_for(login);
        const Identities identities = credentials->identities_of(login);
        CHECK(identities.troubles == std::vector{one.trouble});
        REQUIRE(identities.offers.size() == 1);
        CHECK(identities.offers[0].label == key.path);
    }
}

TEST_CASE("a broken certificate beside a key is named, a missing one is not") {
    if (component_missing("ssh-keygen")) return;
    const TempDir folder;
    const ClientKey key = make_client_key(folder, "key");
    const Login login = login_to(22, {key.path});
    CHECK(credentials_for(login)->identities_of(login).troubles.empty());
    folder.write("key-cert.pub", "ssh-ed25519-cert-v01@openssh.com AAAA\n");
    const Identities identities = credentials_for(login)->identities_of(login);
    CHECK(identities.troubles ==
          std::vector{key.path + "-cert.pub is no certificate that libssh can use"});
    CHECK(identities.offers.size() == 1);
}

TEST_CASE("a secret is moved, copied on request only, and wiped where it lay") {
    Secret one("open sesame");
    CHECK(one.size() == 11);
    CHECK(std::string(one.c_str()) == "open sesame");
    const Secret copy = one.copy();
    Secret moved = std::move(one);
    CHECK(one.empty());
    CHECK(std::string(one.c_str()).empty());
    CHECK(std::string(moved.c_str()) == "open sesame");
    moved = Secret("other");
    CHECK(std::string(moved.c_str()) == "other");
    CHECK(std::string(copy.c_str()) == "open sesame");
    CHECK_FALSE(std::is_copy_constructible_v<Secret>);
    CHECK_FALSE(std::is_copy_assignable_v<Secret>);
    CHECK(Secret().empty());
    CHECK(Secret("").empty());
    std::string memory = "open sesame";
    wipe_memory(memory.data(), memory.size());
    CHECK(memory == std::string(11, '\0'));
}
