#pragma once

#include <atomic>
#include <chrono>
#include <string>
#include <vector>

#include "gpumuster/transport/loop/offload.hpp"
#include "gpumuster/transport/ssh/agent_protocol.hpp"

namespace gpumuster {

// One ssh agent: the keys that it held when the run began, and what is known of its health. Shared
// by all loops; thread-safe.
class SshAgent {
public:
    // Asks for the list of its keys, which blocks, at most for `patience`.
    SshAgent(std::string socket, std::chrono::milliseconds patience);

    const std::string& socket() const { return socket_; }

    // Those that libssh can log in with; others (security keys, unknown types, damaged ones) are
    // left out. Empty when there is trouble.
    const std::vector<AgentKey>& keys() const { return keys_; }
    bool holds(const KeyBlob& key) const;

    // Why it gave no list: "the agent at /run/agent did not answer in time". Empty when it did.
    const std::string& trouble() const { return trouble_; }
    // Nobody listens at its socket, so it is as if the user had none.
    bool is_absent() const { return is_absent_; }

    // Calls into libssh that wait for a signature: at most four at a time, because an agent serves
    // one after the other.
    Offload& threads() { return threads_; }

    // An agent that left several requests in a row unanswered is not asked again in this run.
    void note_answer() { silences_ = 0; }
    void note_silence() { ++silences_; }
    bool is_given_up() const { return silences_ >= silences_until_given_up; }

private:
    static constexpr int silences_until_given_up = 4;
    static constexpr std::size_t most_users = 4;

    void list_keys(std::chrono::milliseconds patience);

    const std::string socket_;
    std::vector<AgentKey> keys_;
    std::string trouble_;
    bool is_absent_ = false;
    std::atomic<int> silences_{0};
    Offload threads_{most_users};
};

}  // namespace gpumuster
