#include "gpumuster/transport/ssh/credentials.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "gpumuster/base/input_error.hpp"

namespace gpumuster {
namespace {

constexpr std::chrono::milliseconds agent_patience{2'000};
constexpr int most_passphrases = 3;

std::vector<const Login*> logins_by_libssh(std::span<const Target> targets) {
    std::vector<const Login*> logins;
    for (const Target& target : targets) {
        if (!target.settings || target.settings->transport != TransportKind::libssh) continue;
        for (const Login& hop : target.settings->hops) logins.push_back(&hop);
        logins.push_back(&target.settings->target);
    }
    return logins;
}

}  // namespace

Credentials::Credentials(std::span<const Target> targets, const CredentialOptions& options) {
    const std::vector<const Login*> logins = logins_by_libssh(targets);
    for (const Login* login : logins) load_login(*login);
    if (!errors_.empty()) throw InputError(errors_);

    for (const Login* login : logins) ask_agent(*login);
    keys_.certify();
    for (const Login* login : logins) ask_passphrases(*login, options.passphrase);
    if (options.password) password_ = options.password->copy();
}

Identities Credentials::identities_of(const Login& login) const {
    return choose_identities(login, keys_, agent_of(login));
}

SshAgent* Credentials::agent_of(const Login& login) const {
    const auto found = agents_.find(login.agent_socket);
    return found == agents_.end() ? nullptr : found->second.get();
}

KnownHosts& Credentials::known_hosts_of(const Login& login) {
    return known_hosts_.at(login.known_hosts_files);
}

HostKeyStore& Credentials::host_keys_of(const Login& login) {
    return host_keys_.at(login.known_hosts_files);
}

void Credentials::load_login(const Login& login) {
    load_keys(login);
    load_known_hosts(login);
}

void Credentials::load_keys(const Login& login) {
    for (const std::string& path : login.identity_files) {
        const PrivateKey& key = keys_.load(path);
        keys_.load_certificate(certificate_beside(path));
        const bool cannot_be_meant =
            key.state == PrivateKey::State::missing || key.state == PrivateKey::State::unreadable;
        if (login.identities_are_explicit && cannot_be_meant && key.public_key.empty()) {
            complain("identity: " + key.trouble());
        }
    }
    for (const std::string& path : login.certificate_files) keys_.load_certificate(path);
}

void Credentials::ask_agent(const Login& login) {
    if (login.agent_socket.empty() || !login.may_use_public_key) return;
    std::unique_ptr<SshAgent>& agent = agents_[login.agent_socket];
    if (!agent) agent = std::make_unique<SshAgent>(login.agent_socket, agent_patience);
}

void Credentials::ask_passphrases(const Login& login, const PassphraseSource& source) {
    if (!source || !login.may_use_public_key) return;
    const SshAgent* agent = agent_of(login);
    for (const std::string& path : login.identity_files) {
        const PrivateKey& key = keys_.at(path);
        if (key.state != PrivateKey::State::encrypted) continue;
        if (agent != nullptr && agent->holds(key.public_key)) continue;
        const bool is_needed = login.identities_are_explicit || identities_of(login).offers.empty();
        if (is_needed && asked_.insert(path).second) ask_passphrase(key, source);
    }
}

void Credentials::ask_passphrase(const PrivateKey& key, const PassphraseSource& source) {
    for (int attempt = 1; attempt <= most_passphrases; ++attempt) {
        const std::optional<Secret> passphrase = source(key.path, attempt);
        if (!passphrase || passphrase->empty()) {
            if (attempt == 1) keys_.note_asked(key.path, PrivateKey::State::declined);
            return;
        }
        if (keys_.open(key.path, *passphrase)) {
            keys_.certify();
            return;
        }
        keys_.note_asked(key.path, PrivateKey::State::wrong_passphrase);
    }
}

void Credentials::load_known_hosts(const Login& login) {
    const std::vector<std::string>& paths = login.known_hosts_files;
    if (known_hosts_.contains(paths)) return;
    const bool makes_new_file = login.host_key_rule != HostKeyRule::known_only;
    std::vector<std::shared_ptr<const KnownHostsFile>> files;
    for (const std::string& path : paths) {
        const bool is_made = makes_new_file && path == login.new_keys_file;
        if (auto file = load_file(path, login.known_hosts_are_explicit && !is_made)) {
            files.push_back(std::move(file));
        }
    }
    const KnownHosts known(std::move(files));
    known_hosts_.emplace(paths, known);
    host_keys_.emplace(paths, HostKeyStore(known, known_hosts_thread_));
}

std::shared_ptr<const KnownHostsFile> Credentials::load_file(const std::string& path,
                                                             bool must_exist) {
    const auto found = files_.find(path);
    if (found != files_.end()) return found->second;
    std::shared_ptr<const KnownHostsFile> file;
    errno = 0;
    if (auto read = KnownHostsFile::read(path)) {
        file = std::make_shared<const KnownHostsFile>(std::move(*read));
    } else if (must_exist || errno != ENOENT) {
        complain(fmt::format("known_hosts: {}: {}", path, std::strerror(errno)));
    }
    files_.emplace(path, file);
    return file;
}

void Credentials::complain(const std::string& line) {
    if (std::find(errors_.begin(), errors_.end(), line) == errors_.end()) errors_.push_back(line);
}

}  // namespace gpumuster
