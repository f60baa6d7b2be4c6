#include "gpumuster/transport/entry/login_shell.hpp"

#include "gpumuster/transport/entry/entry_script.hpp"

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

std::string into_container(const RemoteCommand& command, const ContainerEntry& container) {
    std::string text = "exec /bin/sh -c " + single_quoted(entry_script(container.kind)) + " sh " +
                       single_quoted(script_in_container(command.limit)) + " " +
                       single_quoted(command.text);
    for (const std::string& word : entry_words(container)) text += " " + single_quoted(word);
    return text;
}

}  // namespace

std::string for_login_shell(const RemoteCommand& command,
                            const std::optional<ContainerEntry>& container) {
    if (container) return into_container(command, *container);
    if (command.form == RemoteCommand::Form::bare) return command.text;
    return "exec /bin/sh -c " + single_quoted(command.text);
}

}  // namespace gpumuster
