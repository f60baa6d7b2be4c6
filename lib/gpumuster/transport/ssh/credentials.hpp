#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "gpumuster/transport/effective_settings.hpp"
#include "gpumuster/transport/ssh/agent.hpp"
#include "gpumuster/transport/ssh/host_key_store.hpp"
#include "gpumuster/transport/ssh/identity.hpp"
#include "gpumuster/transport/ssh/key_ring.hpp"
#include "gpumuster/transport/ssh/secret.hpp"
#include "gpumuster/transport/target.hpp"
#include "gpumuster/transport/trust/known_hosts.hpp"

namespace gpumuster {

// Asks the user for the passphrase of a key file, for the `attempt`th time, beginning with 1.
// Empty: the user gives none.
using PassphraseSource =
    std::function<std::optional<Secret>(const std::string& key_path, int attempt)>;

struct CredentialOptions {
    PassphraseSource passphrase;     // empty: nobody can be asked
    std::optional<Secret> password;  // for hosts that want one; empty: none is ever sent
};

// What the hosts of a run are trusted and logged in with: read once, before anything is contacted,
// then shared by all loops.
class Credentials {
public:
    // For every target that goes through libssh. Blocks: each agent is asked for its keys, which
    // takes two seconds at most; then the user for passphrases, once per key file and three times
    // at most. That is done for keys that the user named, and for default keys when a login would
    // have none without; never for a key that the agent holds. Throws InputError when a file that
    // the user named cannot be used; a default file that is not there is no error.
    explicit Credentials(std::span<const Target> targets, const CredentialOptions& options = {});

    // What to offer, in order.
    Identities identities_of(const Login& login) const;

    // The login's agent; null when it has none.
    SshAgent* agent_of(const Login& login) const;

    // Null: none was given.
    const Secret* password() const { return password_ ? &*password_ : nullptr; }

    KnownHosts& known_hosts_of(const Login& login);

    // The host keys that are known by the login's files or since they were read.
    HostKeyStore& host_keys_of(const Login& login);

private:
    void load_login(const Login& login);
    void load_keys(const Login& login);
    void ask_agent(const Login& login);
    void ask_passphrases(const Login& login, const PassphraseSource& source);
    void ask_passphrase(const PrivateKey& key, const PassphraseSource& source);
    void load_known_hosts(const Login& login);
    std::shared_ptr<const KnownHostsFile> load_file(const std::string& path, bool must_exist);
    void complain(const std::string& line);

    KeyRing keys_;
    std::set<std::string> asked_;  // keys whose passphrase the user was asked for
    std::map<std::string, std::unique_ptr<SshAgent>> agents_;
    std::optional<Secret> password_;
    std::map<std::string, std::shared_ptr<const KnownHostsFile>> files_;
    std::map<std::vector<std::string>, KnownHosts> known_hosts_;
    std::shared_ptr<KnownHostsThread> known_hosts_thread_ = std::make_shared<KnownHostsThread>();
    std::map<std::vector<std::string>, HostKeyStore> host_keys_;
    std::vector<std::string> errors_;
};

}  // namespace gpumuster
