#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "gpumuster/base/remark.hpp"
#include "gpumuster/base/result.hpp"
#include "gpumuster/transport/budgets.hpp"
#include "gpumuster/transport/loop/resolve.hpp"
#include "gpumuster/transport/retries.hpp"
#include "gpumuster/transport/ssh/credentials.hpp"
#include "gpumuster/transport/ssh/session.hpp"
#include "gpumuster/transport/transport.hpp"

namespace gpumuster {

class SharedHop;

// What all logins of a run have in common; safe to use from every loop.
struct LoginTools {
    Credentials& credentials;
    Resolver& resolver;
    Retries::Jitter jitter;
};

// One sshd to log in to, and by which way. Everything referred to outlives the login.
struct LeggedLogin {
    const Login& login;
    HopRef hop;
    bool is_target = false;  // the last sshd of the way: only there may a password be sent
    std::shared_ptr<SharedHop> through;  // empty: straight from here
    std::string sshd;                    // names the sshd in the ledger: its route and address
    const Budgets& budgets;
    std::stop_token cancel;
    StageClock& clock;
    LoginLedger& ledger;
    std::vector<Remark>& remarks;
};

struct LoggedIn {
    std::unique_ptr<SshSession> session;
    // sshd counts a connection as not logged in until some time after it is; whoever opens the
    // first channel gives the place back when that is answered.
    std::unique_ptr<LoginLedger::Place> place;
    std::string peer_address;  // numeric; empty behind a hop
};

// Connects, checks the host key and logs in; tries again what Retries allows.
asio::awaitable<Result<LoggedIn>> log_in_to(const LeggedLogin& leg, const LoginTools& tools);

}  // namespace gpumuster
