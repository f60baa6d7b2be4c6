#include "account.hpp"

#include <pwd.h>
#include <unistd.h>

#include <array>

namespace gpumuster {

Account current_account(const Environment& environment) {
    if (const passwd* entry = getpwuid(getuid())) {
        return {entry->pw_name, entry->pw_dir, getuid()};
    }
    Account account;
    account.user = environment.variable("LOGNAME").value_or(
        environment.variable("USER").value_or(std::string{}));
    account.home = environment.variable("HOME").value_or("/");
    account.id = getuid();
    return account;
}

LoginDefaults login_defaults(const Account& account, const Environment& environment) {
    const std::string folder = account.home + "/.ssh/";
    LoginDefaults defaults;
    defaults.user = account.user;
    for (const char* name : {"id_ed25519", "id_ecdsa", "id_rsa"}) {
        defaults.identity_files.push_back(folder + name);
    }
    defaults.known_hosts_files = {folder + "known_hosts", folder + "known_hosts2",
                                  "/etc/ssh/ssh_known_hosts", "/etc/ssh/ssh_known_hosts2"};
    defaults.agent_socket = environment.variable("SSH_AUTH_SOCK").value_or(std::string{});
    return defaults;
}

std::string machine_name() {
    std::array<char, 256> name{};
    // The last byte stays zero: gethostname need not end a name that it cut.
    const bool is_known = gethostname(name.data(), name.size() - 1) == 0 && name[0] != '\0';
    return is_known ? name.data() : "localhost";
}

}  // namespace gpumuster
