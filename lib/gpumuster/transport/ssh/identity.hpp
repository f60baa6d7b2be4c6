#pragma once

#include <memory>
#include <string>
#include <vector>

#include "gpumuster/transport/effective_settings.hpp"
#include "gpumuster/transport/ssh/agent.hpp"
#include "gpumuster/transport/ssh/key_ring.hpp"

namespace gpumuster {

// One public key or certificate to offer to a host, and what signs for it.
struct Identity {
    std::string label;                    // as messages name it: the file, or the agent's key
    KeyBlob blob;                         // what is offered
    std::string fingerprint;              // of the blob: names it in the ledger
    std::shared_ptr<ssh_key_struct> key;  // signs; with its certificate. Empty: the agent signs
    KeyBlob agent_key;                    // the key that the agent signs with
};

// What a login can offer, in ssh's own order, and what it cannot.
struct Identities {
    std::vector<Identity> offers;
    std::vector<std::string> troubles;  // made safe; a default key that does not exist is none
};

// Certificates come first; then the agent's keys that the login names, the agent's other keys
// (unless IdentitiesOnly), and the files that the agent does not have. A key that is loaded from
// its file signs by itself, also when the agent has it: that is quicker and asks nobody. `agent`:
// the login's own, or none. Every key and certificate of the login is in the ring.
Identities choose_identities(const Login& login, const KeyRing& ring, const SshAgent* agent);

}  // namespace gpumuster
