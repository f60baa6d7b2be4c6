#include "gpumuster/transport/ssh/credentials.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "gpumuster/base/input_error.hpp"

namespace gpumuster {

Credentials::Credentials(std::span<const Target> targets) {
    for (const Target& target : targets) {
        if (!target.settings || target.settings->transport != TransportKind::libssh) continue;
        for (const Login& hop : target.settings->hops) load_login(hop);
        load_login(target.settings->target);
    }
    if (!errors_.empty()) throw InputError(errors_);
}

std::vector<const PrivateKey*> Credentials::keys_of(const Login& login) const {
    std::vector<const PrivateKey*> keys;
    for (const std::string& path : login.identity_files) keys.push_back(&keys_.at(path));
    return keys;
}

KnownHosts& Credentials::known_hosts_of(const Login& login) {
    return known_hosts_.at(login.known_hosts_files);
}

void Credentials::load_login(const Login& login) {
    load_keys(login);
    load_known_hosts(login);
}

void Credentials::load_keys(const Login& login) {
    for (const std::string& path : login.identity_files) {
        const PrivateKey& key = keys_.load(path);
        const bool cannot_be_meant =
            key.state == PrivateKey::State::missing || key.state == PrivateKey::State::unreadable;
        if (login.identities_are_explicit && cannot_be_meant) {
            complain("identity: " + key.trouble());
        }
    }
}

void Credentials::load_known_hosts(const Login& login) {
    const std::vector<std::string>& paths = login.known_hosts_files;
    if (known_hosts_.contains(paths)) return;
    std::vector<std::shared_ptr<const KnownHostsFile>> files;
    for (const std::string& path : paths) {
        if (auto file = load_file(path, login.known_hosts_are_explicit)) {
            files.push_back(std::move(file));
        }
    }
    known_hosts_.emplace(paths, KnownHosts(std::move(files)));
}

std::shared_ptr<const KnownHostsFile> Credentials::load_file(const std::string& path,
                                                             bool is_explicit) {
    const auto found = files_.find(path);
    if (found != files_.end()) return found->second;
    std::shared_ptr<const KnownHostsFile> file;
    errno = 0;
    if (auto read = KnownHostsFile::read(path)) {
        file = std::make_shared<const KnownHostsFile>(std::move(*read));
    } else if (is_explicit || errno != ENOENT) {
        complain(fmt::format("known_hosts: {}: {}", path, std::strerror(errno)));
    }
    files_.emplace(path, file);
    return file;
}

void Credentials::complain(const std::string& line) {
    if (std::find(errors_.begin(), errors_.end(), line) == errors_.end()) errors_.push_back(line);
}

}  // namespace gpumuster
