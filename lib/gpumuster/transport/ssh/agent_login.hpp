#pragma once

#include <stop_token>
#include <string>

#include <asio/awaitable.hpp>

#include "gpumuster/transport/ssh/agent.hpp"
#include "gpumuster/transport/ssh/identity.hpp"
#include "gpumuster/transport/ssh/session.hpp"

namespace gpumuster {

// What kept an agent from signing.
enum class AgentTrouble {
    none,
    refused,  // it said no: the user denied it, it is locked, or the key is gone
    silent,   // no answer in time, or no free place in the queue for it
    broken,   // it broke off, cannot be reached, or answers nonsense
};

struct AgentLogin {
    SshAgent& agent;
    const Identity& identity;
    const std::string& user;
    Deadline deadline;
    std::stop_token cancel;
};

struct AgentLoginEnd {
    StepEnd end;  // as of a driven ssh_userauth_agent; `wake` says when the login ran out of time
    AgentTrouble trouble = AgentTrouble::none;
};

// Logs in with one identity that the agent signs for. libssh waits for its agent without limit, so
// it is called on one of the agent's threads, with the session handed over, and what it takes for
// the agent is a socket whose other end is ours: it is told of this one identity only, and its
// request for a signature is passed on, with a deadline of its own. At a deadline or a cancel our
// end is shut, so that no thread is ever stuck. When this has returned, nobody but the caller uses
// the session.
asio::awaitable<AgentLoginEnd> log_in_by_agent(SshSession& session, AgentLogin login);

}  // namespace gpumuster
