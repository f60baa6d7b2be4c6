#include "gpumuster/transport/openssh/ssh_command_line.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

namespace gpumuster {
namespace {

// ssh takes the first value that it is given for an option, so these win over the configuration.
constexpr std::array<std::string_view, 14> always{
    // Nobody is there to be asked.
    "BatchMode=yes", "NumberOfPasswordPrompts=0",
    // One command, and nothing else over its connection.
    "ClearAllForwardings=yes", "ForwardAgent=no", "ForwardX11=no", "PermitLocalCommand=no",
    "RemoteCommand=none", "RequestTTY=no", "EscapeChar=none",
    // A master that the user has running may be used, none is started.
    "ControlMaster=no", "ControlPersist=no",
    // Many at once would rewrite known_hosts for the other keys of a host.
    "UpdateHostKeys=no", "VisualHostKey=no",
    // At ERROR ssh keeps "Unable to negotiate" to itself. Only at DEBUG1 it gives the words of sshd
    // before its identification, the fingerprint of an unknown key, and how far it has come.
    "LogLevel=DEBUG1"};

// ssh goes on with a changed key where StrictHostKeyChecking is `no`.
std::string_view checking_for(HostKeyRule rule) {
    return rule == HostKeyRule::known_only ? "StrictHostKeyChecking=yes"
                                           : "StrictHostKeyChecking=accept-new";
}

bool names_connect_timeout(const std::string& argument) {
    std::string lower = argument;
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; });
    return lower.find("connecttimeout") != std::string::npos;
}

// Rounded up, since 0 stands for the patience of the kernel.
std::string connect_timeout(std::chrono::milliseconds connect) {
    const auto seconds = std::chrono::ceil<std::chrono::seconds>(connect).count();
    return fmt::format("ConnectTimeout={}", std::max<long>(1, seconds));
}

}  // namespace

std::vector<std::string> ssh_command_line(const std::string& program,
                                          const EffectiveSettings& settings,
                                          std::chrono::milliseconds connect,
                                          const std::string& command) {
    std::vector<std::string> argv{program, "-x", "-a", "-T"};
    const auto add_option = [&argv](std::string_view option) {
        argv.insert(argv.end(), {"-o", std::string(option)});
    };
    for (const std::string_view option : always) add_option(option);
    add_option(checking_for(settings.target.host_key_rule));
    const std::vector<std::string>& own = settings.openssh_arguments;
    if (std::none_of(own.begin(), own.end(), names_connect_timeout)) {
        add_option(connect_timeout(connect));
    }
    argv.insert(argv.end(), own.begin(), own.end());
    argv.insert(argv.end(), {"--", settings.openssh_destination, command});
    return argv;
}

}  // namespace gpumuster
