#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "gpumuster/transport/settings/config_question.hpp"
#include "gpumuster/transport/settings/path_expansion.hpp"

namespace gpumuster {

// A login with nothing left open, and what only the system's ssh can do of it.
struct LayeredLogin {
    Login login;
    std::string need;  // "ProxyCommand in ssh_config"; empty: libssh can do it
};

// Lays what ssh_config says under what inventory and flags say, and the defaults under both. Looks
// at key files and blocks on the file system; remembers what it saw. One thread's.
class LoginLayers {
public:
    LoginLayers(const ConfigSource& source, const LoginDefaults& defaults,
                const SshConfigAnswer& ssh_defaults)
        : source_(source), defaults_(defaults), ssh_defaults_(ssh_defaults) {}

    // `said` are the settings of a host, or those that a hop has by itself and from the host behind
    // it. `jump_host`: the last one before it, if any. The error is a phrase that names what cannot
    // be expanded.
    tl::expected<LayeredLogin, std::string> lay(const HostSettings& said,
                                                const ConfigQuestion& question,
                                                const SshConfigAnswer& answer,
                                                const std::string& jump_host);

    // "security key /home/anna/.ssh/id_sk" where one of the login's keys is such; empty: none is.
    std::string security_key_need(const Login& login);

private:
    using Words = std::vector<std::string>;
    using Files = tl::expected<Words, std::string>;

    using Trouble = std::optional<std::string>;

    Trouble lay_keys(Login& login, const SshConfigAnswer& answer, const PathTokens& tokens) const;
    Trouble lay_known_hosts(Login& login, const SshConfigAnswer& answer,
                            const PathTokens& tokens) const;
    std::string need_of(Login& login, const SshConfigAnswer& answer);
    const Words& values_of(const SshConfigAnswer& answer, const char* keyword) const;
    Files expand_all(const Words& texts, const PathTokens& tokens) const;
    Files known_hosts_of(const SshConfigAnswer& answer, const char* keyword,
                         const PathTokens& tokens) const;
    tl::expected<std::string, std::string> agent_of(const SshConfigAnswer& answer,
                                                    const PathTokens& tokens) const;
    std::string default_key_need(Login& login) const;

    const ConfigSource& source_;
    const LoginDefaults& defaults_;
    const SshConfigAnswer& ssh_defaults_;
    std::map<std::string, bool> is_security_key_;
};

}  // namespace gpumuster
