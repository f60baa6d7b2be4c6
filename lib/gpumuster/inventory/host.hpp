#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace gpumuster {

// What the inventory says a host should have. Empty: no expectation.
struct Expectations {
    std::optional<int> gpus;
    std::optional<std::string> model;  // accepted when the GPU's name contains it, case ignored
};

enum class Reach { ssh, local };

// The settings of one host after flags, host, range, group and defaults were merged. Whatever
// nobody said stays empty, and the built-in value is filled in by who uses it.
struct HostSettings {
    std::optional<std::string> address;  // where to connect; empty: the host's name
    std::optional<std::uint16_t> port;
    std::optional<std::string> user;
    std::vector<std::string> identities;   // private key files, in the order to try
    std::vector<std::string> known_hosts;  // files; empty: the user's and the system's
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
