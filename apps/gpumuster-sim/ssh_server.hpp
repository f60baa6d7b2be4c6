#pragma once

#include <memory>

#include "gpumuster-sim/answer.hpp"
#include "gpumuster-sim/keys.hpp"

struct ssh_bind_struct;

namespace gpumuster::sim {

// What the SSH sessions of a fleet share: the keys, and who answers.
class SshServer {
public:
    explicit SshServer(KeyType client_key, Responder responder = {});

    ssh_bind_struct* bind() const { return bind_.get(); }
    const KeyPair& host_key() const { return host_key_; }
    const KeyPair& client_key() const { return client_key_; }  // the one that may log in

    Answer answer(const SimulatedHost& host, std::string_view command) const;

private:
    struct Free {
        void operator()(ssh_bind_struct* bind) const;
    };
    // One host key for all hosts: a thousand keys would cost a client's run nothing and ours much.
    KeyPair host_key_{KeyType::ed25519};
    KeyPair client_key_;
    std::unique_ptr<ssh_bind_struct, Free> bind_;
    Responder responder_;
};

}  // namespace gpumuster::sim
