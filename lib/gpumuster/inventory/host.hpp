#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpumuster {

// What the inventory says a host should have. Empty: no expectation.
struct Expectations {
    std::optional<int> gpus;
    std::optional<std::string> model;  // accepted when the GPU's name contains it, case ignored
};

enum class Reach { ssh, local };

// One machine on the way to a host, as the inventory or -J names it. What nobody said is left to
// ssh_config, and keys and known_hosts also to those of the host itself.
struct Hop {
    std::string address;  // a name, also an alias of ssh_config
    std::optional<std::uint16_t> port;
    std::optional<std::string> user;
    std::vector<std::string> identities;
    std::vector<std::string> known_hosts;
};

// A container on the host, to be inspected in place of the host itself.
struct ContainerEntry {
    enum class Kind {
        pct,     // Proxmox: `pct exec ID -- …`
        docker,  // `docker exec NAME …`
        exec,    // any tool: `argv… /bin/sh -c …`
    };
    Kind kind = Kind::pct;
    std::string name;               // the number for pct, the name for docker
    std::vector<std::string> argv;  // for exec: the tool and its arguments up to the command
};

// "pct", "docker", "exec": as the inventory writes it.
std::string_view container_kind_name(ContainerEntry::Kind kind);

// How containers are called in reports: "pve1/129" is made of the host's address and this. For
// `exec` the last word that is no option.
std::string container_name(const ContainerEntry& container);

// Who speaks SSH: libssh in this process, or the system's ssh. `automatic` takes libssh unless the
// configuration needs what only ssh can do.
enum class TransportChoice { automatic, libssh, openssh };

// What happens to a host key that is not known. A changed key is refused by both.
enum class NewHostKeys { refuse, accept };

// The settings of one host after flags, host, range, group and defaults were merged. Whatever
// nobody said stays empty, and the built-in value is filled in by who uses it.
struct HostSettings {
    std::optional<std::string> address;  // where to connect; empty: the host's name
    std::optional<std::uint16_t> port;
    std::optional<std::string> user;
    std::vector<std::string> identities;   // private key files, in the order to try
    std::vector<std::string> known_hosts;  // files; empty: the user's and the system's
    // The hops in the order in which they are passed. An empty list goes straight to the host,
    // whatever ssh_config says; nothing said leaves it to ssh_config.
    std::optional<std::vector<Hop>> jump;
    std::optional<ContainerEntry> container;
    std::optional<TransportChoice> transport;
    std::optional<NewHostKeys> new_host_keys;
    std::optional<std::chrono::milliseconds> connect_timeout;
    std::optional<std::chrono::milliseconds> command_timeout;
    std::optional<std::int64_t> idle_memory_mib;
    Expectations expect;
    std::map<std::string, std::string> labels;
};

// One host to inspect. The name is unique within a run and is what every report calls it.
struct Host {
    std::string name;
    Reach reach = Reach::ssh;
    HostSettings settings;
    std::vector<std::string> groups;  // in the order of the file
};

// The address that a connection goes to: settings.address, else the name.
const std::string& address_of(const Host& host);

}  // namespace gpumuster
