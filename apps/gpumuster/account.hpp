#pragma once

#include <string>

#include "environment.hpp"
#include "gpumuster/transport/effective_settings.hpp"

namespace gpumuster {

// Who runs this process, as ssh sees it.
struct Account {
    std::string user;
    std::string home;
    unsigned id = 0;
};

// From the user database, as ssh does; where the user is not in it (containers), from $LOGNAME or
// $USER, and $HOME.
Account current_account(const Environment& environment);

// The files that ssh uses when nobody says otherwise, whether they exist or not, and the agent of
// $SSH_AUTH_SOCK.
LoginDefaults login_defaults(const Account& account, const Environment& environment);

// "localhost" if the system does not say.
std::string machine_name();

}  // namespace gpumuster
