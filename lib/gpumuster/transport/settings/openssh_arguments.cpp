#include "gpumuster/transport/settings/openssh_arguments.hpp"

#include <string_view>

#include <fmt/format.h>

#include "gpumuster/base/safe_text.hpp"

namespace gpumuster {
namespace {

// ssh expands tokens in the names of keys and known_hosts, also in those of its command line.
std::string without_tokens(const std::string& path) {
    std::string text;
    for (const char c : path) {
        text += c;
        if (c == '%') text += c;
    }
    return text;
}

// One word of a line of ssh_config.
std::string config_word(const std::string& path) {
    std::string word = "\"";
    for (const char c : without_tokens(path)) {
        if (c == '"' || c == '\\') word += '\\';
        word += c;
    }
    return word + '"';
}

}  // namespace

std::vector<std::string> openssh_arguments(const ConfigSource& source,
                                           const ConfigQuestion& question,
                                           const HostSettings& said) {
    std::vector<std::string> arguments = config_arguments(source, question);
    const auto add = [&arguments](std::string option, std::string value) {
        arguments.push_back(std::move(option));
        arguments.push_back(std::move(value));
    };
    for (const std::string& file : said.identities) add("-i", without_tokens(file));
    if (!said.identities.empty()) add("-o", "IdentitiesOnly=yes");
    if (!said.known_hosts.empty()) {
        std::string files;
        for (const std::string& file : said.known_hosts) {
            files += (files.empty() ? "" : " ") + config_word(file);
        }
        add("-o", "UserKnownHostsFile=" + files);
        add("-o", "GlobalKnownHostsFile=/dev/null");
    }
    return arguments;
}

std::string trouble_with_hops(const HostSettings& said) {
    if (!said.jump) return {};
    for (const Hop& hop : *said.jump) {
        if (hop.identities.empty() && hop.known_hosts.empty()) continue;
        return fmt::format("ssh -J cannot give the jump host {} a key or known_hosts of its own",
                           quote_line(hop.address));
    }
    return {};
}

}  // namespace gpumuster
