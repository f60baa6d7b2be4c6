#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "gpumuster/base/failure.hpp"
#include "gpumuster/inventory/host.hpp"
#include "gpumuster/transport/settings/resolve_settings.hpp"
#include "gpumuster/transport/settings/ssh_config_answer.hpp"

namespace gpumuster {

// Straight to the host, whatever ssh_config says.
inline constexpr const char* straight = "none";

// What is given to ssh, before it reads its configuration, to get to one sshd.
struct ConfigQuestion {
    std::string name;  // an alias, a DNS name, an address
    std::optional<std::string> user;
    std::optional<std::uint16_t> port;
    std::string jump;  // as for -J, or `straight`; empty: ssh_config decides

    auto operator<=>(const ConfigQuestion&) const = default;
};

// The target itself, as inventory and flags name it.
ConfigQuestion question_for(const Host& host);

// Why a question has no answer.
struct ConfigTrouble {
    FailureKind kind = FailureKind::config_failed;
    std::string message;  // made safe
};

using ConfigAnswer = tl::expected<SshConfigAnswer, ConfigTrouble>;
using ConfigAnswers = std::map<ConfigQuestion, ConfigAnswer>;

// The arguments of ssh that say so: -F, the way, -p and -l; not the name.
std::vector<std::string> config_arguments(const ConfigSource& source,
                                          const ConfigQuestion& question);

// The same with the name, as a user types it after `ssh` in a shell.
std::string typed_arguments(const ConfigSource& source, const ConfigQuestion& question);

}  // namespace gpumuster
