#include "gpumuster/transport/settings/login_layers.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include "gpumuster/transport/settings/openssh_needs.hpp"
#include "gpumuster/transport/settings/security_key.hpp"

namespace gpumuster {
namespace {

using Words = std::vector<std::string>;
using Files = tl::expected<Words, std::string>;

bool exists(const std::string& path) {
    std::error_code error;
    return std::filesystem::exists(path, error);
}

// ssh reads these as files without anything in them.
bool is_no_file(const std::string& path) {
    return path.empty() || path == "none" || path == "/dev/null";
}

bool is_off(const std::string& value) {
    return value == "no" || value == "false";
}

// Of ssh's own list, what libssh has no use for.
bool is_beyond_libssh(const std::string& path) {
    return path.ends_with("_sk") || path.ends_with("/id_xmss") || path.ends_with("/id_dsa");
}

bool allows_public_keys(const SshConfigAnswer& answer) {
    if (is_off(answer.value("pubkeyauthentication"))) return false;
    const std::string& methods = answer.value("preferredauthentications");
    return methods.empty() || methods.find("publickey") != std::string::npos;
}

HostKeyRule rule_for(const SshConfigAnswer& answer, std::optional<NewHostKeys> said) {
    if (said == NewHostKeys::refuse) return HostKeyRule::known_only;
    const std::string& checking = answer.value("stricthostkeychecking");
    if (is_off(checking) || checking == "off") return HostKeyRule::accept_unverified;
    const bool accepts = checking == "accept-new" || said == NewHostKeys::accept;
    return accepts ? HostKeyRule::accept_new : HostKeyRule::known_only;
}

std::optional<int> number(const std::string& text) {
    int value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || value <= 0) return {};
    return value;
}

Login login_without_config(const HostSettings& said, const LoginDefaults& defaults) {
    Host host;
    host.settings = said;
    host.settings.jump.reset();
    return effective_settings(host, defaults).target;
}

void append(Words& words, Words more) {
    for (std::string& word : more) {
        if (std::find(words.begin(), words.end(), word) == words.end()) {
            words.push_back(std::move(word));
        }
    }
}

}  // namespace

tl::expected<LayeredLogin, std::string> LoginLayers::lay(const HostSettings& said,
                                                         const ConfigQuestion& question,
                                                         const SshConfigAnswer& answer,
                                                         const std::string& jump_host) {
    Login login = login_without_config(said, defaults_);
    // ssh was given what inventory and flags say of these.
    login.address = answer.address();
    login.user = answer.user();
    login.port = answer.port();
    login.host_key_alias = answer.set_value("hostkeyalias");
    const PathTokens tokens{source_.home,
                            source_.local_user,
                            source_.machine_name,
                            question.name,
                            login.address,
                            login.port,
                            login.user,
                            login.host_key_alias,
                            jump_host,
                            answer.connection_hash,
                            source_.variable};

    if (auto trouble = lay_keys(login, answer, tokens)) {
        return tl::unexpected<std::string>(std::move(*trouble));
    }
    if (auto trouble = lay_known_hosts(login, answer, tokens)) {
        return tl::unexpected<std::string>(std::move(*trouble));
    }
    login.hash_new_keys = answer.is_on("hashknownhosts");
    login.host_key_rule = rule_for(answer, said.new_host_keys);
    login.algorithms = algorithm_lists(answer);
    if (const auto seconds = number(answer.value("connecttimeout"))) {
        login.connect_timeout = std::chrono::seconds(*seconds);
    }
    std::string need = need_of(login, answer);
    return LayeredLogin{std::move(login), std::move(need)};
}

LoginLayers::Trouble LoginLayers::lay_keys(Login& login, const SshConfigAnswer& answer,
                                           const PathTokens& tokens) const {
    if (!login.identities_are_explicit) {
        Files files = expand_all(values_of(answer, "identityfile"), tokens);
        if (!files) return std::move(files.error());
        login.identity_files = std::move(*files);
        login.identities_only = answer.is_on("identitiesonly");
    }
    Files certificates = expand_all(answer.values("certificatefile"), tokens);
    if (!certificates) return std::move(certificates.error());
    login.certificate_files = std::move(*certificates);
    auto agent = agent_of(answer, tokens);
    if (!agent) return std::move(agent.error());
    login.agent_socket = std::move(*agent);
    login.may_use_public_key = allows_public_keys(answer);
    login.smallest_rsa_bits = number(answer.value("requiredrsasize")).value_or(1024);
    return {};
}

LoginLayers::Trouble LoginLayers::lay_known_hosts(Login& login, const SshConfigAnswer& answer,
                                                  const PathTokens& tokens) const {
    if (!login.known_hosts_are_explicit) {
        Files user = known_hosts_of(answer, "userknownhostsfile", tokens);
        if (!user) return std::move(user.error());
        Files global = known_hosts_of(answer, "globalknownhostsfile", tokens);
        if (!global) return std::move(global.error());
        login.new_keys_file = user->empty() ? std::string() : user->front();
        login.known_hosts_files = std::move(*user);
        append(login.known_hosts_files, std::move(*global));
    }
    if (is_no_file(login.new_keys_file)) login.new_keys_file.clear();
    std::erase_if(login.known_hosts_files, is_no_file);
    return {};
}

std::string LoginLayers::need_of(Login& login, const SshConfigAnswer& answer) {
    // What ssh tries by itself is shortened to what libssh can use, whatever else is needed.
    const bool are_defaults =
        !login.identities_are_explicit && answer.values("identityfile").empty();
    std::string key_need = are_defaults ? default_key_need(login) : security_key_need(login);
    return openssh_need(answer, ssh_defaults_, source_.has_kerberos_ticket)
        .value_or(std::move(key_need));
}

std::string LoginLayers::security_key_need(const Login& login) {
    if (!login.may_use_public_key) return {};
    for (const std::string& file : login.identity_files) {
        auto found = is_security_key_.find(file);
        if (found == is_security_key_.end()) {
            found = is_security_key_.emplace(file, is_security_key(file)).first;
        }
        if (found->second) return "security key " + file;
    }
    return {};
}

// ssh tries a security key among its own list last; there it matters only where nothing else is.
std::string LoginLayers::default_key_need(Login& login) const {
    std::string security_key;
    for (const std::string& file : login.identity_files) {
        if (security_key.empty() && file.ends_with("_sk") && exists(file)) security_key = file;
    }
    std::erase_if(login.identity_files, is_beyond_libssh);
    const bool has_other =
        !login.agent_socket.empty() ||
        std::any_of(login.identity_files.begin(), login.identity_files.end(), exists);
    if (security_key.empty() || has_other || !login.may_use_public_key) return {};
    return "security key " + security_key;
}

// What is as in ssh's own defaults was forgotten in the answers.
const Words& LoginLayers::values_of(const SshConfigAnswer& answer, const char* keyword) const {
    const Words& values = answer.values(keyword);
    return values.empty() ? ssh_defaults_.values(keyword) : values;
}

Files LoginLayers::expand_all(const Words& texts, const PathTokens& tokens) const {
    Words files;
    for (const std::string& text : texts) {
        if (text == "none" || text.empty()) continue;
        auto file = expand_path(text, tokens);
        if (!file) return tl::unexpected<std::string>(std::move(file.error()));
        append(files, {std::move(*file)});
    }
    return files;
}

// ssh since 9.0 or so expands the user's files before it prints them, and its own defaults show
// whether this one does. A second expansion would take a % of a name for a token.
Files LoginLayers::known_hosts_of(const SshConfigAnswer& answer, const char* keyword,
                                  const PathTokens& tokens) const {
    const bool is_expanded = !ssh_defaults_.value("userknownhostsfile").starts_with('~') ||
                             std::string_view(keyword) == "globalknownhostsfile";
    const auto expand = [&](const std::string& text) {
        return is_expanded ? expand_tilde(text, source_.home) : expand_path(text, tokens);
    };
    const auto is_there = [&](const std::string& text) {
        const auto path = expand(text);
        return path && exists(*path);
    };
    Words files;
    for (const std::string& line : values_of(answer, keyword)) {
        for (const std::string& text : split_file_list(line, is_there)) {
            if (text == "none") continue;
            const auto path = expand(text);
            if (!path) return tl::unexpected<std::string>(path.error());
            std::error_code error;
            const auto absolute = std::filesystem::absolute(*path, error);
            files.push_back(error ? *path : absolute.string());
        }
    }
    return files;
}

tl::expected<std::string, std::string> LoginLayers::agent_of(const SshConfigAnswer& answer,
                                                             const PathTokens& tokens) const {
    const std::string& said = answer.value("identityagent");
    if (said.empty() || said == "SSH_AUTH_SOCK") return defaults_.agent_socket;
    if (said == "none") return std::string();
    if (said.starts_with('$') && !said.starts_with("${")) {
        const auto variable = source_.variable ? source_.variable(said.substr(1)) : std::nullopt;
        return variable.value_or(std::string());
    }
    if (said.starts_with('~') || said.starts_with("${")) return expand_path(said, tokens);
    return said;
}

}  // namespace gpumuster
