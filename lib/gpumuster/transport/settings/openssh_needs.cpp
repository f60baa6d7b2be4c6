#include "gpumuster/transport/settings/openssh_needs.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "gpumuster/transport/libssh_algorithms.hpp"

namespace gpumuster {
namespace {

using Names = std::vector<std::string>;

// A list of algorithms, where it stands, and what libssh can do of it.
struct Algorithms {
    std::string_view keyword;
    std::string_view shown;
    std::string AlgorithmLists::*list;
    Names LibsshAlgorithms::*possible;
};

constexpr std::array<Algorithms, 5> algorithm_keywords{{
    {"kexalgorithms", "KexAlgorithms", &AlgorithmLists::key_exchanges,
     &LibsshAlgorithms::key_exchanges},
    {"hostkeyalgorithms", "HostKeyAlgorithms", &AlgorithmLists::host_keys,
     &LibsshAlgorithms::host_keys},
    {"ciphers", "Ciphers", &AlgorithmLists::ciphers, &LibsshAlgorithms::ciphers},
    {"macs", "MACs", &AlgorithmLists::macs, &LibsshAlgorithms::macs},
    {"pubkeyacceptedalgorithms", "PubkeyAcceptedAlgorithms", &AlgorithmLists::public_keys,
     &LibsshAlgorithms::public_keys},
}};

bool has_any(std::string_view list, const Names& names) {
    while (!list.empty()) {
        const std::size_t comma = std::min(list.find(','), list.size());
        if (std::find(names.begin(), names.end(), list.substr(0, comma)) != names.end()) {
            return true;
        }
        list.remove_prefix(std::min(comma + 1, list.size()));
    }
    return false;
}

std::string in_ssh_config(std::string_view keyword) {
    return std::string(keyword) + " in ssh_config";
}

struct Keyword {
    std::string_view keyword;
    std::string_view shown;
};

// Those that need ssh wherever they have a value.
constexpr auto with_any_value = std::to_array<Keyword>({{"proxycommand", "ProxyCommand"},
                                                        {"pkcs11provider", "PKCS11Provider"},
                                                        {"bindaddress", "BindAddress"},
                                                        {"bindinterface", "BindInterface"},
                                                        {"knownhostscommand", "KnownHostsCommand"},
                                                        {"revokedhostkeys", "RevokedHostKeys"}});

// Those that need ssh where they are on, although ssh by itself has them off.
constexpr auto switched_on = std::to_array<Keyword>(
    {{"hostbasedauthentication", "HostbasedAuthentication"},
     {"proxyusefdpass", "ProxyUseFdpass"},
     {"nohostauthenticationforlocalhost", "NoHostAuthenticationForLocalhost"},
     {"checkhostip", "CheckHostIP"}});

std::optional<std::string> need_of_keywords(const SshConfigAnswer& answer,
                                            const SshConfigAnswer& defaults) {
    for (const auto& [keyword, shown] : with_any_value) {
        if (!answer.set_value(keyword).empty()) return in_ssh_config(shown);
    }
    for (const auto& [keyword, shown] : switched_on) {
        if (answer.is_on(keyword) && !defaults.is_on(keyword)) return in_ssh_config(shown);
    }
    const std::string family = answer.set_value("addressfamily");
    if (!family.empty() && family != "any") return in_ssh_config("AddressFamily");
    if (answer.is_on("verifyhostkeydns") || answer.value("verifyhostkeydns") == "ask") {
        return in_ssh_config("VerifyHostKeyDNS");
    }
    const std::string provider = answer.set_value("securitykeyprovider");
    if (!provider.empty() && provider != "internal" &&
        provider != defaults.value("securitykeyprovider")) {
        return in_ssh_config("SecurityKeyProvider");
    }
    return {};
}

}  // namespace

std::optional<std::string> openssh_need(const SshConfigAnswer& answer,
                                        const SshConfigAnswer& defaults, bool has_kerberos_ticket) {
    if (auto need = need_of_keywords(answer, defaults)) return need;
    // Without a ticket ssh passes it over, and Debian has it on for everybody.
    if (has_kerberos_ticket) {
        if (answer.is_on("gssapiauthentication")) {
            return "GSSAPIAuthentication with a Kerberos ticket";
        }
        if (answer.is_on("gssapikeyexchange")) return "GSSAPIKeyExchange with a Kerberos ticket";
    }
    for (const Algorithms& algorithms : algorithm_keywords) {
        const std::string& list = answer.value(algorithms.keyword);
        if (!list.empty() && !has_any(list, libssh_algorithms().*algorithms.possible)) {
            return in_ssh_config(algorithms.shown);
        }
    }
    return {};
}

AlgorithmLists algorithm_lists(const SshConfigAnswer& answer) {
    AlgorithmLists lists;
    for (const Algorithms& algorithms : algorithm_keywords) {
        lists.*algorithms.list = answer.value(algorithms.keyword);
    }
    return lists;
}

}  // namespace gpumuster
