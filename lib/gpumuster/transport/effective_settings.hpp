#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gpumuster/base/failure.hpp"
#include "gpumuster/inventory/host.hpp"

namespace gpumuster {

// What holds where neither the inventory nor a flag says anything.
struct LoginDefaults {
    std::string user;                            // the local login name
    std::vector<std::string> identity_files;     // ~/.ssh/id_ed25519, id_ecdsa, id_rsa
    std::vector<std::string> known_hosts_files;  // the user's and the system's
};

// How to reach and trust one target, with nothing left open.
struct EffectiveSettings {
    std::string address;  // to resolve and connect to; the host key is checked under this name
    std::uint16_t port = 22;
    std::string user;
    std::vector<std::string> identity_files;
    bool identities_are_explicit = false;  // named by the user, not the defaults
    std::vector<std::string> known_hosts_files;
    bool known_hosts_are_explicit = false;  // `ssh` by hand looks elsewhere
};

EffectiveSettings effective_settings(const Host& host, const LoginDefaults& defaults);

// The target as failures name it, with the arguments of ssh that lead there.
HopRef target_hop(const Host& host, const EffectiveSettings& settings);

// The name of a host and port in known_hosts and for `ssh-keygen -R`: "host", "[host]:port".
std::string known_hosts_name(const std::string& address, std::uint16_t port);

}  // namespace gpumuster
