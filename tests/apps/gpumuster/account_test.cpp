#include "apps/gpumuster/account.hpp"

#include <pwd.h>
#include <unistd.h>

#include "fixtures.hpp"
#include "support/catch.hpp"

using namespace gpumuster;
using gpumuster::test::environment_of;

TEST_CASE("the default keys and trusted hosts are those of ssh, in its order") {
    const LoginDefaults login =
        login_defaults({"anna", "/home/anna"}, environment_of({{"SSH_AUTH_SOCK", "/run/agent"}}));
    CHECK(login.user == "anna");
    CHECK(login.identity_files == std::vector<std::string>{"/home/anna/.ssh/id_ed25519",
                                                           "/home/anna/.ssh/id_ecdsa",
                                                           "/home/anna/.ssh/id_rsa"});
    CHECK(login.known_hosts_files ==
          std::vector<std::string>{"/home/anna/.ssh/known_hosts", "/home/anna/.ssh/known_hosts2",
                                   "/etc/ssh/ssh_known_hosts", "/etc/ssh/ssh_known_hosts2"});
    CHECK(login.agent_socket == "/run/agent");
}

TEST_CASE("without SSH_AUTH_SOCK there is no agent") {
    CHECK(login_defaults({"anna", "/home/anna"}, environment_of()).agent_socket.empty());
}

TEST_CASE("the user database says who we are, not the environment") {
    const passwd* entry = getpwuid(getuid());
    if (entry == nullptr) return;
    const Account account =
        current_account(environment_of({{"LOGNAME", "somebody"}, {"HOME", "/elsewhere"}}));
    CHECK(account.user == entry->pw_name);
    CHECK(account.home == entry->pw_dir);
    CHECK(account.id == getuid());
}

TEST_CASE("this machine has a name") {
    CHECK_FALSE(machine_name().empty());
}
