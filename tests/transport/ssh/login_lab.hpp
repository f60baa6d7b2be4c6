#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <chrono>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include <asio/steady_timer.hpp>

#include "gpumuster/transport/ssh/algorithms.hpp"
#include "gpumuster/transport/ssh/credentials.hpp"
#include "gpumuster/transport/ssh/identity_blob.hpp"
#include "gpumuster/transport/ssh/login.hpp"
#include "support/run_on_loop.hpp"
#include "support/sshd.hpp"
#include "support/targets.hpp"

namespace gpumuster::test {

// Remembers what it was told, and forbids the keys that it is given.
class NotingLedger : public OpenLedger {
public:
    bool may_offer(const std::string&, const std::string& key) override {
        return !forbids_all && !forbidden.contains(key);
    }
    void refused(const std::string& user, const std::string& key) override {
        refusals.push_back(user + " " + key);
    }
    void accepted(const std::string& user, const std::string& key) override {
        acceptances.push_back(user + " " + key);
    }

    std::set<std::string> forbidden;
    bool forbids_all = false;
    std::vector<std::string> refusals;
    std::vector<std::string> acceptances;
};

inline Login login_to(std::uint16_t port, std::vector<std::string> identities = {}) {
    Login login;
    login.name = "node1";
    login.address = "127.0.0.1";
    login.port = port;
    login.user = current_user();
    login.identities_are_explicit = !identities.empty();
    login.identities_only = login.identities_are_explicit;
    login.identity_files = std::move(identities);
    login.ssh_arguments = "node1";
    return login;
}

inline std::unique_ptr<Credentials> credentials_for(const Login& login,
                                                    const CredentialOptions& options = {}) {
    EffectiveSettings settings;
    settings.target = login;
    const Target target{Host(), std::move(settings)};
    return std::make_unique<Credentials>(std::span(&target, 1), options);
}

inline UniqueFd connect_to_port(std::uint16_t port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    UniqueFd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
        throw std::runtime_error("cannot connect to port " + std::to_string(port));
    }
    return fd;
}

struct LoginPlan {
    bool may_send_password = true;
    std::chrono::milliseconds budget{15'000};
    std::optional<std::chrono::milliseconds> cancel_after;
};

// Connects, shakes hands and logs in. Defined beside the tests of authentication.
asio::awaitable<std::optional<Failure>> hold_login(const Login& login,
                                                   const Credentials& credentials,
                                                   const LoginPlan& plan, LoginLedger& ledger,
                                                   std::stop_token cancel);

// Logs in to a server on loopback, whose host key is not looked at.
inline std::optional<Failure> log_in_with(const Login& login, const Credentials& credentials,
                                          LoginLedger& ledger, const LoginPlan& plan = {}) {
    asio::io_context context;
    std::stop_source stop;
    asio::steady_timer timer(context);
    if (plan.cancel_after) {
        timer.expires_after(*plan.cancel_after);
        timer.async_wait([&](const std::error_code&) { stop.request_stop(); });
    }
    auto login_held = hold_login(login, credentials, plan, ledger, stop.get_token());
    return run_on(context, std::move(login_held));
}

// The same with credentials and a ledger of its own.
inline std::optional<Failure> log_in_alone(const Login& login, const LoginPlan& plan = {}) {
    NotingLedger ledger;
    const auto credentials = credentials_for(login);
    return log_in_with(login, *credentials, ledger, plan);
}

inline std::string kind_of_failure(const std::optional<Failure>& failure) {
    return failure ? std::string(failure_info(failure->kind).id) : "none";
}

// What the ledger says of the login's user and a public key line.
inline std::string noted(const std::string& public_line) {
    return current_user() + " " + fingerprint(blob_of_line(public_line).value());
}

}  // namespace gpumuster::test
