#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "gpumuster/transport/loop/wire.hpp"
#include "gpumuster/transport/ssh/agent_login.hpp"
#include "gpumuster/transport/ssh/agent_socket.hpp"

namespace gpumuster {

// Stands between libssh and the agent: libssh talks to a socket of its own, whose other end is
// answered here. One loop's; nothing here waits, step() does what can be done at once.
class AgentRelay {
public:
    // Throws std::runtime_error when descriptors ran out. `wake_up` is notified when there is
    // something to do.
    AgentRelay(const asio::any_io_executor& executor, SshAgent& agent, const Identity& identity,
               std::shared_ptr<Signal> wake_up);
    AgentRelay(const AgentRelay&) = delete;
    AgentRelay& operator=(const AgentRelay&) = delete;

    // The end that libssh works on; blocking, owned here.
    int libssh_end() const { return libssh_end_.get(); }

    void step();

    // When step() is to be called again although nothing has happened; never, if that is empty.
    std::optional<Deadline> next_look() const;

    // Shuts our end, so that a call of libssh that waits for the agent comes back.
    void give_up(AgentTrouble why);

    // Whether libssh waits for a signature.
    bool is_asked() const { return state_ != State::idle; }
    AgentTrouble trouble() const { return trouble_; }

private:
    enum class State { idle, connecting, talking };

    void answer(const std::string& request);
    void begin(const std::string& request);
    void connect();
    void talk();
    void pass_on(const std::string& message);
    void refuse(AgentTrouble why);
    void reply(const std::string& message);
    void arm();

    const asio::any_io_executor executor_;
    SshAgent& agent_;
    const Identity& identity_;
    std::shared_ptr<Signal> wake_up_;
    UniqueFd libssh_end_;
    std::optional<Wire> our_end_;
    std::optional<Wire> connection_;  // to the agent, while it is asked
    State state_ = State::idle;
    Deadline answer_by_;
    std::string from_libssh_;
    std::string to_agent_;
    std::string from_agent_;
    AgentTrouble trouble_ = AgentTrouble::none;
};

}  // namespace gpumuster
