#include "gpumuster/transport/entry/login_shell.hpp"

namespace gpumuster {
namespace {

// A backslash inside single quotes means something to csh and fish; closing the quotes for a
// quoted quote means the same to all.
std::string single_quoted(const std::string& text) {
    std::string quoted = "'";
    for (const char c : text) {
        if (c == '\'') {
            quoted += R"('"'"')";
        } else {
            quoted += c;
        }
    }
    return quoted + "'";
}

}  // namespace

std::string for_login_shell(const RemoteCommand& command) {
    if (command.form == RemoteCommand::Form::bare) return command.text;
    return "exec /bin/sh -c " + single_quoted(command.text);
}

}  // namespace gpumuster
