// Logins with keys that an agent holds, against a real sshd.

#include "agent_lab.hpp"
#include "gpumuster/transport/ssh/ssh_bytes.hpp"
#include "login_lab.hpp"
#include "support/catch.hpp"
#include "support/components.hpp"
#include "support/descriptors.hpp"

using namespace gpumuster;
using namespace gpumuster::test;
using namespace std::chrono_literals;

// libssh forgets the first list of an agent's keys when it asks for a second one.
extern "C" const char* __lsan_default_suppressions();
extern "C" const char* __lsan_default_suppressions() {
    return "leak:ssh_agent_get_ident_count\nleak:ssh_userauth_agent\n";
}

namespace {

bool parts_are_missing() {
    return component_missing("sshd") || component_missing("ssh-agent") ||
           component_missing("ssh-add");
}

SshdOptions accepting(const std::string& public_line, const std::string& config = {}) {
    SshdOptions options;
    options.authorized_key = public_line;
    options.extra_config = config;
    return options;
}

Login login_by_agent(std::uint16_t port, const std::string& socket) {
    Login login = login_to(port);
    login.agent_socket = socket;
    return login;
}

FakeAgent::Reply framed(const std::string& message) {
    return {frame_agent_message(message), false};
}

// Lists these keys, whatever they are.
FakeAgent::Reply list_of(const std::vector<std::string>& public_lines) {
    std::vector<AgentKey> keys;
    for (const std::string& line : public_lines) keys.push_back({*blob_of_line(line), "fake"});
    return framed(identities_answer(keys));
}

bool asks_for_list(const std::string& message) {
    return kind_of(message) == AgentMessage::request_identities;
}

// Deletes the private key file, so that only an agent can sign.
void forget_private_key(const ClientKey& key) {
    ::unlink(key.path.c_str());
}

}  // namespace

TEST_CASE("every kind of key that an agent holds logs in") {
    if (parts_are_missing()) return;
    const std::string type = GENERATE("ed25519", "ecdsa", "rsa");
    INFO(type);
    const TempDir folder;
    const ClientKey key = make_client_key(folder, "key", type);
    const RealAgent agent({key.path});
    forget_private_key(key);
    const Sshd sshd(accepting(key.public_line));
    const Login login = login_by_agent(sshd.port(), agent.socket());
    const auto credentials = credentials_for(login);
    NotingLedger ledger;
    const std::optional<Failure> failure = log_in_with(login, *credentials, ledger);
    INFO((failure ? failure->message : ""));
    CHECK_FALSE(failure);
    CHECK(ledger.acceptances == std::vector{noted(key.public_line)});
    CHECK(ledger.refusals.empty());
}

TEST_CASE("of an agent's keys each is offered once, and the ledger hears of each") {
    if (parts_are_missing()) return;
    const TempDir folder;
    const ClientKey wrong = make_client_key(folder, "wrong");
    const ClientKey other = make_client_key(folder, "other", "rsa");
    const ClientKey right = make_client_key(folder, "right");
    const RealAgent agent({wrong.path, other.path, right.path});
    const Sshd sshd(accepting(right.public_line));
    const Login login = login_by_agent(sshd.port(), agent.socket());
    const auto credentials = credentials_for(login);
    NotingLedger ledger;
    CHECK(kind_of_failure(log_in_with(login, *credentials, ledger)) == "none");
    CHECK(ledger.refusals == std::vector{noted(wrong.public_line), noted(other.public_line)});
    CHECK(ledger.acceptances == std::vector{noted(right.public_line)});
}

TEST_CASE("keys that the ledger forbids are left out, those of an agent as well") {
    if (parts_are_missing()) return;
    const TempDir folder;
    const ClientKey one = make_client_key(folder, "one");
    const ClientKey two = make_client_key(folder, "two");
    const RealAgent agent({one.path, two.path});
    const Sshd sshd(accepting(two.public_line));
    const Login login = login_by_agent(sshd.port(), agent.socket());
    const auto credentials = credentials_for(login);
    NotingLedger ledger;
    ledger.forbidden = {fingerprint(*blob_of_line(one.public_line))};
    CHECK(kind_of_failure(log_in_with(login, *credentials, ledger)) == "none");
    CHECK(ledger.refusals.empty());

    ledger.forbids_all = true;
    const std::optional<Failure> failure = log_in_with(login, *credentials, ledger);
    REQUIRE(kind_of_failure(failure) == "auth.not_tried");
    CHECK(failure->message == "every key of user " + current_user() +
                                  " that could be offered was refused by 20 hosts and accepted by "
                                  "none in this run");
}

TEST_CASE("with IdentitiesOnly an agent's other keys are not offered") {
    if (parts_are_missing()) return;
    const TempDir folder;
    const ClientKey named = make_client_key(folder, "named");
    const ClientKey other = make_client_key(folder, "other");
    const RealAgent agent({other.path, named.path});
    forget_private_key(named);
    const Sshd sshd(accepting(other.public_line));
    Login login = login_by_agent(sshd.port(), agent.socket());
    login.identity_files = {named.path};
    login.identities_only = true;
    const auto credentials = credentials_for(login);
    NotingLedger ledger;
    CHECK(kind_of_failure(log_in_with(login, *credentials, ledger)) == "auth.denied");
    CHECK(ledger.refusals == std::vector{noted(named.public_line)});

    login.identities_only = false;
    const auto all = credentials_for(login);
    NotingLedger second;
    CHECK(kind_of_failure(log_in_with(login, *all, second)) == "none");
    // The named one comes first, although the agent has it last.
    CHECK(second.refusals == std::vector{noted(named.public_line)});
    CHECK(second.acceptances == std::vector{noted(other.public_line)});
}

TEST_CASE("a public key file stands for the key in the agent") {
    if (parts_are_missing()) return;
    const TempDir folder;
    const ClientKey key = make_client_key(folder, "key");
    const ClientKey other = make_client_key(folder, "other");
    const RealAgent agent({other.path, key.path});
    forget_private_key(key);
    const Sshd sshd(accepting(key.public_line));
    const std::string name = GENERATE("key", "key.pub");
    INFO(name);
    Login login = login_to(sshd.port(), {folder.file(name)});
    login.agent_socket = agent.socket();
    const auto credentials = credentials_for(login);
    NotingLedger ledger;
    CHECK(kind_of_failure(log_in_with(login, *credentials, ledger)) == "none");
    CHECK(ledger.refusals.empty());
}

TEST_CASE("a certificate in a file is signed for by the agent that has its key") {
    if (parts_are_missing()) return;
    const std::string type = GENERATE("ed25519", "ecdsa", "rsa");
    INFO(type);
    const TempDir folder;
    const ClientKey authority = make_client_key(folder, "authority");
    const ClientKey key = make_client_key(folder, "key", type);
    sign_key(authority.path, key.path + ".pub", {"-n", current_user()});
    const RealAgent agent({});
    // Without the certificate, which ssh-add would add as well.
    const std::string certificate = folder.write("moved", read_file(key.path + "-cert.pub"));
    ::unlink((key.path + "-cert.pub").c_str());
    const RealAgent holder({key.path});
    forget_private_key(key);
    const std::string trusted = folder.write("trusted", authority.public_line + "\n", 0644);
    const Sshd sshd(accepting("", "TrustedUserCAKeys " + trusted + "\n"));
    Login login = login_by_agent(sshd.port(), holder.socket());
    login.certificate_files = {certificate};
    const std::optional<Failure> failure = log_in_alone(login);
    INFO((failure ? failure->message : "") << sshd.log());
    CHECK_FALSE(failure);
}

TEST_CASE("a certificate that lies in the agent itself logs in") {
    if (parts_are_missing()) return;
    const TempDir folder;
    const ClientKey authority = make_client_key(folder, "authority");
    const ClientKey key = make_client_key(folder, "key");
    sign_key(authority.path, key.path + ".pub", {"-n", current_user()});
    const RealAgent agent({key.path});
    forget_private_key(key);
    const std::string trusted = folder.write("trusted", authority.public_line + "\n", 0644);
    const Sshd sshd(accepting("", "TrustedUserCAKeys " + trusted + "\n"));
    CHECK(kind_of_failure(log_in_alone(login_by_agent(sshd.port(), agent.socket()))) == "none");
}

TEST_CASE("an encrypted key that the agent has is not asked for its passphrase") {
    if (parts_are_missing()) return;
    const TempDir folder;
    const ClientKey key = make_client_key(folder, "key", "ed25519", "a passphrase");
    RealAgent agent({});
    agent.add({key.path}, "a passphrase");
    ::unlink((key.path + ".pub").c_str());
    const Sshd sshd(accepting(key.public_line));
    Login login = login_to(sshd.port(), {key.path});
    login.agent_socket = agent.socket();
    CredentialOptions options;
    options.passphrase = [](const std::string&, int) -> std::optional<Secret> {
        FAIL("the passphrase was asked for");
        return std::nullopt;
    };
    const auto credentials = credentials_for(login, options);
    NotingLedger ledger;
    CHECK(kind_of_failure(log_in_with(login, *credentials, ledger)) == "none");
}

TEST_CASE("keys that libssh cannot use do not hide those behind them") {
    if (parts_are_missing()) return;
    const TempDir folder;
    const ClientKey key = make_client_key(folder, "key");
    const RealAgent real({key.path});
    const std::string point(32, 'p');
    const std::vector<AgentKey> odd{
        {string_field("sk-ssh-ed25519@openssh.com") + string_field(point) + string_field("ssh:"),
         "sk"},
        {string_field("ssh-ed448") + string_field(point), "of tomorrow"},
        {string_field("webauthn-sk-ecdsa-sha2-nistp256@openssh.com") + string_field("x"), ""},
        {string_field("ecdsa-sha2-nistp256") + string_field("nistp256") + string_field("no point"),
         ""},
        {"\xff\xff\xff\xff", "no key at all"},
        {"", ""},
        {*blob_of_line(key.public_line), "the one"}};
    const FakeAgent agent([&](const std::string& message) {
        return asks_for_list(message) ? framed(identities_answer(odd))
                                      : framed(ask_agent(real.socket(), message));
    });
    const Sshd sshd(accepting(key.public_line));
    const Login login = login_by_agent(sshd.port(), agent.socket());
    const auto credentials = credentials_for(login);
    CHECK(credentials->agent_of(login)->keys().size() == 1);
    NotingLedger ledger;
    CHECK(kind_of_failure(log_in_with(login, *credentials, ledger)) == "none");
    CHECK(ledger.refusals.empty());
}

TEST_CASE("an agent that gives no list is told as such, and the run goes on with key files") {
    if (parts_are_missing()) return;
    struct Illness {
        std::string name;
        FakeAgent::Reply reply;
        std::string said;
    };
    const Illness ill = GENERATE(
        Illness{"hangs", {"", false}, "did not answer in time"},
        Illness{"garbage", {"HTTP/1.1 400 Bad Request\r\n\r\n", false}, "no agent's message"},
        Illness{"huge", {"\xff\xff\xff\xff", false}, "no agent's message"},
        Illness{"torn list",
                {frame_agent_message("\x0c\x7f\xff\xff\xff"), false},
                "no agent's message"},
        Illness{"dies", {"", true}, "broke off"},
        Illness{"dies mid-way", {std::string("\0\0\0\x09\x0c", 5), true}, "broke off"},
        Illness{"is locked", {frame_agent_message("\5"), false}, "does not tell its keys"});
    INFO(ill.name);
    const TempDir folder;
    const ClientKey key = make_client_key(folder, "key");
    const FakeAgent agent([&](const std::string&) { return ill.reply; });
    const Sshd sshd(accepting(key.public_line));
    Login login = login_by_agent(sshd.port(), agent.socket());
    const std::optional<Failure> failure = log_in_alone(login);
    REQUIRE(kind_of_failure(failure) == "auth.agent_failed");
    CHECK_THAT(failure->message, ContainsSubstring(agent.socket()));
    CHECK_THAT(failure->message, ContainsSubstring(ill.said));
    CHECK(failure->next_step == "see whether the agent answers: ssh-add -l");

    login.identity_files = {key.path};
    CHECK(kind_of_failure(log_in_alone(login)) == "none");
}

TEST_CASE("an agent that is not there is no failure of its own") {
    if (component_missing("sshd")) return;
    const TempDir folder;
    const Sshd sshd(accepting(""));
    const std::optional<Failure> failure =
        log_in_alone(login_by_agent(sshd.port(), folder.file("none")));
    REQUIRE(kind_of_failure(failure) == "auth.no_key");
    CHECK_THAT(failure->message, ContainsSubstring("cannot be reached: No such file"));
}

TEST_CASE("an agent that does not sign costs its key, and the next one is tried") {
    if (parts_are_missing()) return;
    struct Illness {
        std::string name;
        FakeAgent::Reply reply;
        std::string said;
    };
    const Illness ill =
        GENERATE(Illness{"refuses", {frame_agent_message("\5"), false}, "refuses to sign"},
                 Illness{"garbage", {"HTTP/1.1 400 Bad Request\r\n\r\n", false}, "broke off"},
                 Illness{"no signature", {frame_agent_message("\x0e"), false}, "broke off"},
                 Illness{"huge", {std::string("\0\4\0\1", 4), false}, "broke off"},
                 Illness{"dies mid-way", {std::string("\0\0\0\x40\x0e", 5), true}, "broke off"});
    INFO(ill.name);
    const TempDir folder;
    const ClientKey key = make_client_key(folder, "key");
    const ClientKey file = make_client_key(folder, "file");
    const FakeAgent agent([&](const std::string& message) {
        return asks_for_list(message) ? list_of({key.public_line}) : ill.reply;
    });
    const Sshd sshd(accepting(key.public_line + "\n" + file.public_line));
    Login login = login_by_agent(sshd.port(), agent.socket());
    const auto credentials = credentials_for(login);
    NotingLedger ledger;
    const std::optional<Failure> failure = log_in_with(login, *credentials, ledger);
    REQUIRE(kind_of_failure(failure) == "auth.agent_failed");
    CHECK_THAT(failure->message, ContainsSubstring(ill.said));
    CHECK(ledger.refusals.empty());
    CHECK(ledger.acceptances.empty());
    CHECK(agent.sign_requests() == 1);

    login.identity_files = {file.path};
    CHECK(kind_of_failure(log_in_alone(login)) == "none");
}

TEST_CASE("an agent that hangs over a signature costs its hosts the time that it was given") {
    if (parts_are_missing()) return;
    const TempDir folder;
    const ClientKey key = make_client_key(folder, "key");
    const FakeAgent agent([&](const std::string& message) {
        return asks_for_list(message) ? list_of({key.public_line}) : FakeAgent::Reply();
    });
    const Sshd sshd(accepting(key.public_line));
    const Login login = login_by_agent(sshd.port(), agent.socket());
    LoginPlan plan;
    SECTION("its own limit") {}
    SECTION("the login's deadline, which is sooner") {
        plan.budget = 700ms;
    }
    const std::optional<Failure> failure = log_in_alone(login, plan);
    REQUIRE(kind_of_failure(failure) == "auth.agent_failed");
    CHECK(failure->message == "the agent at " + agent.socket() + " did not sign in time");
}

TEST_CASE("a login that waits for its agent ends when it is cancelled") {
    if (parts_are_missing()) return;
    const TempDir folder;
    const ClientKey key = make_client_key(folder, "key");
    const FakeAgent agent([&](const std::string& message) {
        return asks_for_list(message) ? list_of({key.public_line}) : FakeAgent::Reply();
    });
    const Sshd sshd(accepting(key.public_line));
    LoginPlan plan;
    plan.cancel_after = 700ms;
    const auto begun = std::chrono::steady_clock::now();
    CHECK(kind_of_failure(log_in_alone(login_by_agent(sshd.port(), agent.socket()), plan)) ==
          "run.interrupted");
    CHECK(std::chrono::steady_clock::now() - begun < 4s);
}

namespace {

asio::awaitable<void> log_in_and_note(const Login& login, const Credentials& credentials,
                                      const LoginPlan& plan, LoginLedger& ledger,
                                      std::vector<std::string>& kinds) {
    const std::optional<Failure> failure =
        co_await hold_login(login, credentials, plan, ledger, std::stop_token());
    kinds.push_back(kind_of_failure(failure));
}

// Many at a time on one loop.
std::vector<std::string> log_in_together(const std::vector<Login>& logins,
                                         const Credentials& credentials, const LoginPlan& plan) {
    asio::io_context context;
    NotingLedger ledger;
    std::vector<std::string> kinds;
    for (const Login& login : logins) {
        asio::co_spawn(context, log_in_and_note(login, credentials, plan, ledger, kinds),
                       [](const std::exception_ptr& error) {
                           if (error) std::rethrow_exception(error);
                       });
    }
    context.run();
    return kinds;
}

std::unique_ptr<Credentials> credentials_for_all(const std::vector<Login>& logins) {
    std::vector<Target> targets;
    for (const Login& login : logins) {
        EffectiveSettings settings;
        settings.target = login;
        targets.push_back(Target{Host(), std::move(settings)});
    }
    return std::make_unique<Credentials>(targets);
}

}  // namespace

TEST_CASE("more logins than an agent serves at a time all get their turn") {
    if (parts_are_missing()) return;
    const TempDir folder;
    const ClientKey key = make_client_key(folder, "key");
    const RealAgent agent({key.path});
    const Sshd sshd(accepting(key.public_line, "MaxStartups 100\n"));
    const std::vector<Login> logins(24, login_by_agent(sshd.port(), agent.socket()));
    const auto credentials = credentials_for_all(logins);
    const auto kinds = log_in_together(logins, *credentials, LoginPlan());
    CHECK(kinds == std::vector<std::string>(24, "none"));
}

TEST_CASE("a hung agent costs its own hosts a clear failure and nobody else anything") {
    if (parts_are_missing()) return;
    const TempDir folder;
    const ClientKey key = make_client_key(folder, "key");
    const RealAgent healthy({key.path});
    const FakeAgent hung([&](const std::string& message) {
        return asks_for_list(message) ? list_of({key.public_line}) : FakeAgent::Reply();
    });
    const Sshd sshd(accepting(key.public_line, "MaxStartups 100\n"));
    std::vector<Login> logins(12, login_by_agent(sshd.port(), hung.socket()));
    const std::vector<Login> well(6, login_by_agent(sshd.port(), healthy.socket()));
    logins.insert(logins.end(), well.begin(), well.end());
    const auto credentials = credentials_for_all(logins);
    LoginPlan plan;
    plan.budget = 2'500ms;
    const auto kinds = log_in_together(logins, *credentials, plan);
    REQUIRE(kinds.size() == 18);
    // Those of the healthy agent are through before the others have waited to their end.
    CHECK(std::vector(kinds.begin(), kinds.begin() + 6) == std::vector<std::string>(6, "none"));
    CHECK(std::vector(kinds.begin() + 6, kinds.end()) ==
          std::vector<std::string>(12, "auth.agent_failed"));
}

TEST_CASE("an agent that leaves one request after the other unanswered is given up") {
    if (parts_are_missing()) return;
    const TempDir folder;
    const ClientKey key = make_client_key(folder, "key");
    const FakeAgent hung([&](const std::string& message) {
        return asks_for_list(message) ? list_of({key.public_line}) : FakeAgent::Reply();
    });
    const Sshd sshd(accepting(key.public_line, "MaxStartups 100\n"));
    const std::vector<Login> logins(4, login_by_agent(sshd.port(), hung.socket()));
    const auto credentials = credentials_for_all(logins);
    CHECK(log_in_together(logins, *credentials, LoginPlan()) ==
          std::vector<std::string>(4, "auth.agent_failed"));
    CHECK(hung.sign_requests() == 4);
    NotingLedger ledger;
    const std::optional<Failure> failure = log_in_with(logins[0], *credentials, ledger);
    CHECK(kind_of_failure(failure) == "auth.agent_failed");
    CHECK(hung.sign_requests() == 4);
}

TEST_CASE("logins by an agent leave no descriptor behind, however they end") {
    if (parts_are_missing()) return;
    const TempDir folder;
    const ClientKey key = make_client_key(folder, "key");
    const RealAgent real({key.path});
    const FakeAgent hung([&](const std::string& message) {
        return asks_for_list(message) ? list_of({key.public_line}) : FakeAgent::Reply();
    });
    const Sshd sshd(accepting(key.public_line));
    LoginPlan short_plan;
    short_plan.budget = 300ms;
    const auto once = [&] {
        CHECK(kind_of_failure(log_in_alone(login_by_agent(sshd.port(), real.socket()))) == "none");
        log_in_alone(login_by_agent(sshd.port(), hung.socket()), short_plan);
    };
    once();
    // The fake agent closes its end of a connection a moment after we have closed ours.
    std::size_t after = 0;
    const std::size_t before = open_descriptors();
    for (int i = 0; i < 5; ++i) once();
    for (int i = 0; i < 100; ++i) {
        after = open_descriptors();
        if (after <= before) break;
        std::this_thread::sleep_for(50ms);
    }
    CHECK(after <= before);
}
