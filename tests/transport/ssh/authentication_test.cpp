// Logins by keys from files, certificates and passwords.

#include "auth_server.hpp"
#include "login_lab.hpp"
#include "support/catch.hpp"
#include "support/components.hpp"
#include "support/descriptors.hpp"

using namespace gpumuster;
using namespace gpumuster::test;
using namespace std::chrono_literals;
using What = AuthDecision::What;
using Asked = std::vector<std::string>;

namespace gpumuster::test {

asio::awaitable<std::optional<Failure>> hold_login(const Login& login,
                                                   const Credentials& credentials,
                                                   const LoginPlan& plan, LoginLedger& ledger,
                                                   std::stop_token cancel) {
    const asio::any_io_executor executor = co_await asio::this_coro::executor;
    const HopRef hop{0, login.name, login.address, login.ssh_arguments};
    SessionAlgorithms algorithms = choose_algorithms(login.algorithms, {}).value();
    SshSession session(executor, connect_to_port(login.port), std::move(algorithms), cancel);
    const auto now = std::chrono::steady_clock::now();
    const Deadline shake_by = now + std::chrono::seconds(10);
    std::optional<Failure> failure = co_await shake_hands(session, hop, shake_by);
    if (failure) co_return failure;
    const Deadline log_in_by = std::chrono::steady_clock::now() + plan.budget;
    const LoginAttempt attempt{hop,       login, credentials, ledger, plan.may_send_password,
                               log_in_by, cancel};
    co_return co_await log_in(session, attempt);
}

}  // namespace gpumuster::test

namespace {

constexpr int key_method = SSH_AUTH_METHOD_PUBLICKEY;
constexpr int password_method = SSH_AUTH_METHOD_PASSWORD;
constexpr int kbdint_method = SSH_AUTH_METHOD_INTERACTIVE;

SshdOptions accepting(const std::string& public_line, const std::string& config = {}) {
    SshdOptions options;
    options.authorized_key = public_line;
    options.extra_config = config;
    return options;
}

CredentialOptions with_password(const std::string& password) {
    CredentialOptions options;
    options.password.emplace(password);
    return options;
}

struct PasswordLogin {
    std::optional<Failure> failure;
    NotingLedger ledger;
};

PasswordLogin log_in_by_password(const Login& login, const LoginPlan& plan = {}) {
    PasswordLogin result;
    const auto credentials = credentials_for(login, with_password("open sesame"));
    result.failure = log_in_with(login, *credentials, result.ledger, plan);
    return result;
}

std::string password_of(const Login& login) {
    return login.user + " password";
}

bool is_right(const AuthRequest& request) {
    return request.password == "open sesame" || request.answers == Asked{"open sesame"};
}

// Takes the password, by `method` alone.
AuthServer::Decide taking_password(int method) {
    return [method](const AuthRequest& request) -> AuthDecision {
        if (request.method == "keyboard-interactive" && !request.is_answer) {
            return {What::ask, method, {{"Password: "}}};
        }
        const bool is_good =
            (request.method == "password" || request.is_answer) && is_right(request);
        return {is_good ? What::accept : What::deny, method};
    };
}

}  // namespace

TEST_CASE("a key whose passphrase was given logs in") {
    if (component_missing("sshd")) return;
    const std::string type = GENERATE("ed25519", "ecdsa", "rsa");
    const TempDir folder;
    const ClientKey key = make_client_key(folder, "key", type, "open sesame");
    const Sshd sshd(accepting(key.public_line));
    const Login login = login_to(sshd.port(), {key.path});
    CredentialOptions options;
    options.passphrase = [](const std::string&, int) {
        return std::optional<Secret>(Secret("open sesame"));
    };
    const auto credentials = credentials_for(login, options);
    NotingLedger ledger;
    CHECK(kind_of_failure(log_in_with(login, *credentials, ledger)) == "none");
    CHECK(ledger.acceptances == Asked{noted(key.public_line)});

    const std::optional<Failure> failure = log_in_alone(login);
    REQUIRE(kind_of_failure(failure) == "auth.no_key");
    CHECK(failure->message == key.path + " is encrypted");
}

TEST_CASE("user certificates log in, those beside the key and those that are named") {
    if (component_missing("sshd")) return;
    const std::string type = GENERATE("ed25519", "ecdsa", "rsa");
    INFO(type);
    const TempDir folder;
    const ClientKey authority = make_client_key(folder, "authority");
    const ClientKey key = make_client_key(folder, "key", type);
    sign_key(authority.path, key.path + ".pub", {"-n", current_user()});
    const std::string trusted = folder.write("trusted", authority.public_line + "\n", 0644);
    const Sshd sshd(accepting("", "TrustedUserCAKeys " + trusted + "\n"));
    Login login = login_to(sshd.port(), {key.path});
    CHECK(kind_of_failure(log_in_alone(login)) == "none");

    login.certificate_files = {folder.write("elsewhere", read_file(key.path + "-cert.pub"))};
    ::unlink((key.path + "-cert.pub").c_str());
    const std::optional<Failure> failure = log_in_alone(login);
    INFO((failure ? failure->message : ""));
    CHECK_FALSE(failure);
    CHECK(sshd.times_logged("Accepted publickey") == 2);
    CHECK(sshd.times_logged("-CERT ") >= 2);
}

TEST_CASE("where the certificate is not wanted, the plain key is offered after it") {
    if (component_missing("sshd")) return;
    const TempDir folder;
    const ClientKey authority = make_client_key(folder, "authority");
    const ClientKey key = make_client_key(folder, "key");
    sign_key(authority.path, key.path + ".pub", {"-n", "somebody-else"});
    const Sshd sshd(accepting(key.public_line));
    const Login login = login_to(sshd.port(), {key.path});
    const auto credentials = credentials_for(login);
    NotingLedger ledger;
    CHECK(kind_of_failure(log_in_with(login, *credentials, ledger)) == "none");
    CHECK(ledger.acceptances == Asked{noted(key.public_line)});
    // The certificate is an offer of its own in the ledger.
    REQUIRE(ledger.refusals.size() == 1);
    CHECK(ledger.refusals[0] != noted(key.public_line));
}

TEST_CASE("each refused key is told to the ledger, and the failure names them") {
    if (component_missing("sshd")) return;
    const TempDir folder;
    const ClientKey one = make_client_key(folder, "one");
    const ClientKey two = make_client_key(folder, "two", "ecdsa");
    const Sshd sshd(accepting(""));
    const Login login = login_to(sshd.port(), {one.path, two.path});
    const auto credentials = credentials_for(login);
    NotingLedger ledger;
    const std::optional<Failure> failure = log_in_with(login, *credentials, ledger);
    REQUIRE(kind_of_failure(failure) == "auth.denied");
    CHECK(failure->message == "user " + login.user + " was refused with " + one.path + ", " +
                                  two.path + "; the host accepts publickey");
    CHECK(ledger.refusals == Asked{noted(one.public_line), noted(two.public_line)});

    ledger.forbids_all = true;
    const std::optional<Failure> skipped = log_in_with(login, *credentials, ledger);
    REQUIRE(kind_of_failure(skipped) == "auth.not_tried");
    CHECK_THAT(skipped->message, !ContainsSubstring("node1") && !ContainsSubstring("127.0.0.1"));
    CHECK(ledger.refusals.size() == 2);
    CHECK(sshd.times_logged("Failed publickey") == 2);
}

TEST_CASE("a host that closes after too many refusals has still refused") {
    if (component_missing("sshd")) return;
    const TempDir folder;
    std::vector<std::string> keys;
    for (const char* name : {"a", "b", "c"}) keys.push_back(make_client_key(folder, name).path);
    const std::string banner = folder.write("banner", "Authorised use only\n", 0644);
    const Sshd sshd(accepting("", "MaxAuthTries 2\nBanner " + banner + "\n"));
    const std::optional<Failure> failure = log_in_alone(login_to(sshd.port(), keys));
    REQUIRE(kind_of_failure(failure) == "auth.denied");
    CHECK_THAT(failure->message, ContainsSubstring(keys[0]) &&
                                     ContainsSubstring("then the host closed the connection") &&
                                     ContainsSubstring("Too many authentication failures"));
}

TEST_CASE("a host that takes no keys says nothing about the key, and its next step is --ask-pass") {
    const TempDir folder;
    const ClientKey key = make_client_key(folder, "key");
    const AuthServer server(taking_password(password_method));
    const Login login = login_to(server.port(), {key.path});
    const auto credentials = credentials_for(login);
    NotingLedger ledger;
    const std::optional<Failure> failure = log_in_with(login, *credentials, ledger);
    REQUIRE(kind_of_failure(failure) == "auth.denied");
    CHECK_THAT(failure->message, ContainsSubstring("the host accepts password"));
    CHECK_THAT(failure->next_step, ContainsSubstring("--ask-pass"));
    CHECK(ledger.refusals.empty());
}

TEST_CASE("a key that the server takes partly is not enough") {
    const TempDir folder;
    const ClientKey key = make_client_key(folder, "key");
    const AuthServer server([](const AuthRequest&) {
        return AuthDecision{What::accept_partly, kbdint_method};
    });
    const std::optional<Failure> failure = log_in_alone(login_to(server.port(), {key.path}));
    REQUIRE(kind_of_failure(failure) == "auth.partial");
    CHECK(failure->message ==
          key.path + " was accepted, but the host wants keyboard-interactive as well");
}

TEST_CASE("a login that is refused after a good key quotes the host and blames no key") {
    const TempDir folder;
    const ClientKey key = make_client_key(folder, "key");
    const std::string said = GENERATE(
        "\r\n*****\r\n  Access denied by pam_slurm_adopt: no \x1b[31mactive jobs  \r\nmore",
        "System is going down.");
    const AuthServer server([&](const AuthRequest&) {
        return AuthDecision{What::hang_up, key_method, {}, said};
    });
    const Login login = login_to(server.port(), {key.path});
    const auto credentials = credentials_for(login);
    NotingLedger ledger;
    const std::optional<Failure> failure = log_in_with(login, *credentials, ledger);
    REQUIRE(kind_of_failure(failure) == "auth.login_refused");
    CHECK((failure->message == "the host ended the login with: Access denied by pam_slurm_adopt: "
                               "no \\x1b[31mactive jobs" ||
           failure->message == "the host ended the login with: System is going down."));
    CHECK(ledger.refusals.empty());
    CHECK(ledger.acceptances.empty());
}

TEST_CASE("a connection that is closed after a key without a word is a broken login") {
    const TempDir folder;
    const ClientKey key = make_client_key(folder, "key");
    const std::string said = GENERATE("", "***** ***** \r\n");
    const AuthServer server([&](const AuthRequest&) {
        return AuthDecision{What::hang_up, key_method, {}, said};
    });
    const Login login = login_to(server.port(), {key.path});
    const auto credentials = credentials_for(login);
    NotingLedger ledger;
    const std::optional<Failure> failure = log_in_with(login, *credentials, ledger);
    REQUIRE(kind_of_failure(failure) == "auth.failed");
    CHECK_THAT(failure->message, ContainsSubstring("closed the connection"));
    CHECK(ledger.refusals.empty());
}

TEST_CASE("PAM's own words are quoted when it keeps a user out after a good key") {
    if (component_missing("sshd") || namespaces_missing()) return;
    const TempDir folder;
    const ClientKey key = make_client_key(folder, "key");
    SshdOptions options = accepting(key.public_line);
    options.first_config = "UsePAM yes\n";
    options.etc_files["pam.d/sshd"] =
        "auth required pam_permit.so\n"
        "account optional pam_echo.so Access denied: you have no active jobs on this node\n"
        "account required pam_deny.so\n"
        "session required pam_permit.so\n";
    const Sshd sshd(options);
    const std::optional<Failure> failure = log_in_alone(login_to(sshd.port(), {key.path}));
    INFO(sshd.log());
    REQUIRE(kind_of_failure(failure) == "auth.login_refused");
    CHECK(failure->message ==
          "the host ended the login with: Access denied: you have no active jobs on this node");
}

TEST_CASE("a password is sent by either method, once, and only when one was given") {
    const int method = GENERATE(password_method, kbdint_method);
    const AuthServer server(taking_password(method));
    const Login login = login_to(server.port());
    const PasswordLogin with = log_in_by_password(login);
    INFO((with.failure ? with.failure->message : ""));
    CHECK_FALSE(with.failure);
    CHECK(with.ledger.acceptances == Asked{password_of(login)});
    const Asked expected = method == password_method
                               ? Asked{"none", "password"}
                               : Asked{"none", "keyboard-interactive", "answer:open sesame;"};
    CHECK(server.asked() == expected);

    CHECK(kind_of_failure(log_in_alone(login)) == "auth.no_key");
    CHECK(server.asked() == expected);
}

TEST_CASE("a refused password is not sent again by the other method") {
    const AuthServer server([](const AuthRequest& request) -> AuthDecision {
        if (request.method == "keyboard-interactive" && !request.is_answer) {
            return {What::ask, password_method | kbdint_method, {{"Password: "}}};
        }
        return {What::deny, password_method | kbdint_method};
    });
    const Login login = login_to(server.port());
    const PasswordLogin tried = log_in_by_password(login);
    REQUIRE(kind_of_failure(tried.failure) == "auth.denied");
    CHECK(tried.failure->message ==
          "user " + login.user +
              " was refused with the password; the host accepts password, keyboard-interactive");
    CHECK_THAT(tried.failure->next_step, !ContainsSubstring("--ask-pass"));
    CHECK(tried.ledger.refusals == Asked{password_of(login)});
    CHECK(server.asked() == Asked{"none", "password"});
}

TEST_CASE("a password is not sent where it may not be") {
    const AuthServer server(taking_password(password_method));
    const Login login = login_to(server.port());
    SECTION("to a host whose key was not known") {
        LoginPlan plan;
        plan.may_send_password = false;
        const PasswordLogin tried = log_in_by_password(login, plan);
        REQUIRE(kind_of_failure(tried.failure) == "auth.no_key");
        CHECK_THAT(tried.failure->message, ContainsSubstring("host key was known before"));
        CHECK(server.asked().empty());
    }
    SECTION("when the ledger forbids it") {
        const auto credentials = credentials_for(login, with_password("open sesame"));
        NotingLedger ledger;
        ledger.forbidden = {"password"};
        const std::optional<Failure> failure = log_in_with(login, *credentials, ledger);
        REQUIRE(kind_of_failure(failure) == "auth.not_tried");
        CHECK_THAT(failure->message, ContainsSubstring("the password of user "));
        CHECK(server.asked() == Asked{"none"});
    }
    SECTION("when the host takes none") {
        const AuthServer strict([](const AuthRequest&) { return AuthDecision(); });
        const PasswordLogin tried = log_in_by_password(login_to(strict.port()));
        REQUIRE(kind_of_failure(tried.failure) == "auth.no_key");
        CHECK_THAT(tried.failure->message, ContainsSubstring("takes no password but publickey"));
        CHECK(strict.asked() == Asked{"none"});
    }
}

TEST_CASE("keyboard-interactive answers rounds without questions and one for the password") {
    int round = 0;
    const AuthServer server([&](const AuthRequest& request) -> AuthDecision {
        if (request.method == "none") return {What::deny, kbdint_method};
        ++round;
        if (round == 1 || round == 3) return {What::ask, kbdint_method, {}};
        if (round == 2) return {What::ask, kbdint_method, {{"Password for you: "}}};
        return {What::accept};
    });
    CHECK_FALSE(log_in_by_password(login_to(server.port())).failure);
    CHECK(server.asked() ==
          Asked{"none", "keyboard-interactive", "answer:", "answer:open sesame;", "answer:"});
}

TEST_CASE("keyboard-interactive gives no answer to what is not the question for the password") {
    struct Case {
        std::vector<AuthPrompt> prompts;
        std::string quoted;
    };
    const Case ask =
        GENERATE(Case{{{"Password: "}, {"Verification code: "}}, "\"Password:\" and 1 more"},
                 Case{{{"Your \x1b]0;name\a? ", true}}, "\"Your \\x1b]0;name\\x07?\""});
    const AuthServer server([&](const AuthRequest& request) -> AuthDecision {
        if (request.method == "none") return {What::deny, kbdint_method};
        return {What::ask, kbdint_method, ask.prompts};
    });
    const PasswordLogin tried = log_in_by_password(login_to(server.port()));
    REQUIRE(kind_of_failure(tried.failure) == "auth.partial");
    CHECK_THAT(tried.failure->message, ContainsSubstring(ask.quoted));
    CHECK(server.asked() == Asked{"none", "keyboard-interactive"});
    CHECK(tried.ledger.refusals.empty());
}

TEST_CASE("keyboard-interactive never answers twice") {
    const bool same = GENERATE(true, false);
    const AuthServer server([&](const AuthRequest& request) -> AuthDecision {
        if (request.method == "none") return {What::deny, kbdint_method};
        const bool is_second = request.is_answer && !same;
        return {What::ask, kbdint_method, {{is_second ? "Code: " : "Password: "}}};
    });
    const PasswordLogin tried = log_in_by_password(login_to(server.port()));
    CHECK(kind_of_failure(tried.failure) == (same ? "auth.denied" : "auth.partial"));
    CHECK(tried.ledger.refusals.size() == (same ? 1U : 0U));
    CHECK(server.asked() == Asked{"none", "keyboard-interactive", "answer:open sesame;"});
}

TEST_CASE("a host that asks without end is left") {
    const AuthServer server([](const AuthRequest& request) -> AuthDecision {
        if (request.method == "none") return {What::deny, kbdint_method};
        return {What::ask, kbdint_method, {}};
    });
    CHECK(kind_of_failure(log_in_by_password(login_to(server.port())).failure) == "auth.failed");
    CHECK(server.asked().size() < 12);
}

TEST_CASE("a key and a password together log in where both are wanted, in either order") {
    const TempDir folder;
    const ClientKey key = make_client_key(folder, "key");
    SECTION("the key first") {
        const AuthServer server([](const AuthRequest& request) -> AuthDecision {
            if (request.is_signed) return {What::accept_partly, password_method};
            return {is_right(request) ? What::accept : What::deny, key_method};
        });
        CHECK_FALSE(log_in_by_password(login_to(server.port(), {key.path})).failure);
        CHECK(server.asked() == Asked{"publickey", "password"});
    }
    SECTION("the password first, so that the key's refusal before says nothing") {
        bool has_password = false;
        const AuthServer server([&](const AuthRequest& request) -> AuthDecision {
            if (is_right(request)) {
                has_password = true;
                return {What::accept_partly, key_method};
            }
            return {has_password ? What::accept : What::deny, password_method};
        });
        const PasswordLogin both = log_in_by_password(login_to(server.port(), {key.path}));
        CHECK_FALSE(both.failure);
        CHECK(both.ledger.refusals.empty());
        CHECK(server.asked() == Asked{"publickey", "password", "publickey"});
    }
    SECTION("a second factor after the password") {
        const AuthServer server([](const AuthRequest& request) -> AuthDecision {
            const What what = is_right(request) ? What::accept_partly : What::deny;
            return {what, what == What::deny ? password_method : kbdint_method};
        });
        const PasswordLogin tried = log_in_by_password(login_to(server.port()));
        REQUIRE(kind_of_failure(tried.failure) == "auth.partial");
        CHECK(tried.failure->message ==
              "the password was accepted, but the host wants keyboard-interactive as well");
        CHECK(server.asked() == Asked{"none", "password"});
    }
}

TEST_CASE("a real sshd takes the password of an account") {
    if (component_missing("sshd") || namespaces_missing()) return;
    SshdOptions options;
    options.first_config = "PasswordAuthentication yes\n";
    options.accounts = {SshdAccount{"guest", ""}};
    // Of "open sesame".
    options.etc_files["shadow"] =
        "guest:$6$gpumuster$Qj7qN8qtSRPkOPiYOG/2yAzZeB6AIXoML6UTsBMssupszGP"
        "ZbGlc8W9yR3LlKN1ivGXSUc8AUiZc7RiZadPN./:19000:0:99999:7:::\n";
    const Sshd sshd(options);
    Login login = login_to(sshd.port());
    login.user = "guest";
    const PasswordLogin tried = log_in_by_password(login);
    INFO((tried.failure ? tried.failure->message : "") << sshd.log());
    CHECK_FALSE(tried.failure);

    const auto credentials = credentials_for(login, with_password("open"));
    NotingLedger ledger;
    CHECK(kind_of_failure(log_in_with(login, *credentials, ledger)) == "auth.denied");
}

TEST_CASE("logins that fail in every way leave no descriptor behind") {
    const TempDir folder;
    const ClientKey key = make_client_key(folder, "key");
    const auto once = [&] {
        for (const What what : {What::accept, What::accept_partly, What::deny, What::hang_up}) {
            const AuthServer server([what](const AuthRequest&) {
                return AuthDecision{what, password_method | kbdint_method};
            });
            log_in_by_password(login_to(server.port(), {key.path}));
        }
    };
    once();
    const std::size_t before = open_descriptors();
    for (int i = 0; i < 5; ++i) once();
    CHECK(open_descriptors() == before);
}
