#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gpumuster/transport/effective_settings.hpp"
#include "gpumuster/transport/settings/ssh_config_answer.hpp"

namespace gpumuster {

// What libssh 0.10 cannot do of what ssh_config asks for on the way to one sshd, as it is to be
// named: "ProxyCommand in ssh_config". `defaults` is what ssh says without a configuration.
std::optional<std::string> openssh_need(const SshConfigAnswer& answer,
                                        const SshConfigAnswer& defaults, bool has_kerberos_ticket);

// The lists that ssh_config sets and libssh has something of; what is only in ssh's own defaults
// is none.
AlgorithmLists algorithm_lists(const SshConfigAnswer& answer);

}  // namespace gpumuster
