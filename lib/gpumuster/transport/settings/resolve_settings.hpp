#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "gpumuster/transport/target.hpp"

namespace gpumuster {

// Where the user's ssh configuration is asked, and what of this machine its answers depend on.
struct ConfigSource {
    bool is_read = true;              // false: --ssh-config none
    std::optional<std::string> file;  // for -F; empty: the user's and the system's own
    std::string ssh_program;          // full path; empty: there is none
    std::string home;                 // for ~ and %d
    std::string local_user;           // for %u
    std::string machine_name;         // for %l and %L
    bool has_kerberos_ticket = false;
    // An environment variable, for ${NAME} and IdentityAgent $NAME; empty where it is not set.
    std::function<std::optional<std::string>(const std::string& name)> variable;
    std::chrono::milliseconds limit{10'000};  // for one `ssh -G`
};

struct ResolvedTargets {
    std::vector<Target> targets;     // in the order of the hosts, none missing
    std::vector<std::string> notes;  // about all of them: "no ssh on this machine: …"
};

// The way to each host: what inventory and flags say, then what the user's OpenSSH says (`ssh -G`,
// asked once per distinct name, several at a time, without a shell), then the defaults. Contacts
// no host itself; OpenSSH may run `Match exec` and look names up where the configuration says so.
// Blocks the calling thread; when `stop` is requested, what was not asked yet is
// run.interrupted.
ResolvedTargets resolve_settings(std::vector<Host> hosts, const LoginDefaults& defaults,
                                 const ConfigSource& source, std::stop_token stop);

}  // namespace gpumuster
