#pragma once

#include <functional>
#include <optional>
#include <stop_token>
#include <string>

#include "environment.hpp"
#include "gpumuster/transport/ssh/secret.hpp"

namespace gpumuster {

// How the user is asked for a secret. As ssh does it: on the terminal that the process belongs to,
// whatever its standard streams are; where there is none, by the program that SSH_ASKPASS names,
// if there is a display for it. SSH_ASKPASS_REQUIRE: `never` use the program, `prefer` it, or
// `force` it, even without a display.
enum class PromptWay { terminal, program, nobody };
PromptWay prompt_way(const Environment& environment, bool has_terminal);

struct PromptPlace {
    Environment environment;
    std::stop_token stop;  // requested: nobody is asked any more
    std::string terminal = "/dev/tty";
};

// Shows `prompt` and reads a line that is not shown. Empty: nobody can be asked, the user declined
// (end of file, an interrupt), or stop was requested. However it ends, the terminal is as it was;
// a signal that comes meanwhile has its usual effect after that.
std::optional<Secret> ask_secret(const std::string& prompt, const PromptPlace& place);

// "Password for the hosts of this run: ", where `what` is what stands after "for".
std::optional<Secret> ask_password(const std::string& what, const PromptPlace& place);

// Asks for the passphrases of private keys: "Passphrase for /home/me/.ssh/id_ed25519: ".
std::function<std::optional<Secret>(const std::string& key_path, int attempt)> passphrase_prompt(
    PromptPlace place);

}  // namespace gpumuster
