#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gpumuster/base/failure.hpp"
#include "gpumuster/inventory/host.hpp"

namespace gpumuster {

// What holds where neither the inventory, nor a flag, nor ssh_config says anything.
struct LoginDefaults {
    std::string user;                            // the local login name
    std::vector<std::string> identity_files;     // ~/.ssh/id_ed25519, id_ecdsa, id_rsa
    std::vector<std::string> known_hosts_files;  // the user's and the system's
    std::string agent_socket;                    // $SSH_AUTH_SOCK; empty: none
};

// How the key of a host that nobody knows is dealt with. A changed or revoked key is always
// refused.
enum class HostKeyRule {
    known_only,
    accept_new,         // and append it to known_hosts
    accept_unverified,  // ssh_config says `no` or `off`: as accept_new, and said as a warning
};

// Algorithm lists as ssh_config gives them, comma-separated; empty: our own.
struct AlgorithmLists {
    std::string key_exchanges;
    std::string host_keys;
    std::string ciphers;
    std::string macs;
    std::string public_keys;  // the signature algorithms of user keys
};

// How to reach, trust and log in to one sshd, with nothing left open. Paths are absolute, tokens
// and ~ are expanded.
struct Login {
    std::string name;     // as the user calls it, for reports
    std::string address;  // to resolve and connect to
    std::uint16_t port = 22;
    std::string user;

    std::vector<std::string> identity_files;     // in the order to try
    bool identities_are_explicit = false;        // named by inventory or flag: must be usable
    std::vector<std::string> certificate_files;  // beside KEY-cert.pub, which is always looked for
    bool identities_only = false;                // of the agent's keys, only those in the list
    std::string agent_socket;                    // empty: no agent
    bool may_use_public_key = true;              // PubkeyAuthentication
    int smallest_rsa_bits = 1024;                // RequiredRSASize; 1024 is OpenSSH's own

    std::string host_key_alias;                  // empty: the key is looked up under the address
    std::vector<std::string> known_hosts_files;  // all that are read, the user's first
    bool known_hosts_are_explicit = false;       // `ssh` by hand looks elsewhere
    std::string new_keys_file;   // where an accepted key is written; empty: kept in memory only
    bool hash_new_keys = false;  // HashKnownHosts
    HostKeyRule host_key_rule = HostKeyRule::known_only;

    AlgorithmLists algorithms;
    std::optional<std::chrono::milliseconds> connect_timeout;  // ConnectTimeout of ssh_config
    std::string ssh_arguments;  // what follows `ssh` to get there by hand
};

enum class TransportKind { libssh, openssh, local };
std::string_view transport_name(TransportKind kind);

// The whole way to a host.
struct EffectiveSettings {
    Login target;
    std::vector<Login> hops;  // in the order in which they are passed
    TransportKind transport = TransportKind::libssh;
    std::string transport_reason;  // why it is not libssh: "ProxyCommand in ssh_config"

    // For the system ssh only: the arguments that stand before the destination, without those that
    // every call has, and the destination.
    std::vector<std::string> openssh_arguments;
    std::string openssh_destination;
};

// Without ssh_config: the inventory and the defaults alone.
EffectiveSettings effective_settings(const Host& host, const LoginDefaults& defaults);

// A hop's own settings, else those of the host behind it that hold for the whole way.
HostSettings settings_of_hop(const Hop& hop, const HostSettings& host);

// Fills in ssh_arguments of the target and of each hop from the rest.
void write_ssh_arguments(EffectiveSettings& settings);

// Has the system's ssh go this way, for a reason that the report names.
void use_openssh(EffectiveSettings& settings, std::string reason);

// The target as failures name it.
HopRef target_hop(const EffectiveSettings& settings);

// The hop at `index` of settings.hops, as failures name it: its HopRef::index is one more.
HopRef jump_hop(const EffectiveSettings& settings, std::size_t index);

// The name of a host and port in known_hosts and for `ssh-keygen -R`: "host", "[host]:port".
std::string known_hosts_name(const std::string& address, std::uint16_t port);

// The name that a login's host key is known by; an alias has no port.
std::string known_hosts_name(const Login& login);

}  // namespace gpumuster
