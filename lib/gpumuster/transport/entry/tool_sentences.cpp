#include "gpumuster/transport/entry/tool_sentences.hpp"

#include <array>

namespace gpumuster {
namespace {

using K = FailureKind;

constexpr std::string_view no_shell =
    "the container has no /bin/sh that it can run, and cannot be asked without";
constexpr std::string_view no_docker_rights =
    "this user may not use docker: set user: root, or let the host put the user into the group "
    "docker";
constexpr std::string_view no_sudo =
    "sudo asks for a password there: set user: root, or allow the tool in sudoers with NOPASSWD";

// From the sources of the tools, users' reports and runs; in this order, because runtimes quote
// each other. Line numbers and the parts that vary are left out.
constexpr std::array sentences{
    // runc, through docker and podman
    ToolSentence{"cannot exec in a paused container", {}, K::container_frozen, {}},
    ToolSentence{"cannot exec in a stopped container", {}, K::container_not_running, {}},
    ToolSentence{"container does not exist", {}, K::container_absent, {}},
    ToolSentence{"OCI runtime exec failed", {}, K::container_failed, no_shell},
    ToolSentence{"not found in $PATH", {}, K::container_failed, no_shell},
    ToolSentence{"exec: \"/bin/sh\"", {}, K::container_failed, no_shell},

    // pct
    ToolSentence{"container '", "' not running!", K::container_not_running, {}},
    ToolSentence{"Configuration file 'nodes/", "does not exist", K::container_absent, {}},
    ToolSentence{"please run as root", {}, K::container_not_root, {}},
    ToolSentence{"ipcc_send_rec[", "Unknown error -1", K::container_not_root, {}},
    ToolSentence{"Unable to load access control list", {}, K::container_not_root, {}},

    // lxc-attach; an old pct leaves it to it
    ToolSentence{"Failed to exec \"/bin/sh\"", {}, K::container_failed, no_shell},
    ToolSentence{"Failed to get init pid", {}, K::container_not_running, {}},
    ToolSentence{"Failed to get attach context", {}, K::container_not_running, {}},
    ToolSentence{"You lack access to ", {}, K::container_not_root, {}},

    // docker
    ToolSentence{"No such container", {}, K::container_absent, {}},
    ToolSentence{"is paused, unpause the container", {}, K::container_frozen, {}},
    ToolSentence{"is restarting, wait until", {}, K::container_not_running, {}},
    ToolSentence{"Error response from daemon", "is not running", K::container_not_running, {}},
    ToolSentence{"permission denied while trying to connect to the", "ocker", K::container_not_root,
                 no_docker_rights},
    ToolSentence{"Cannot connect to the Docker daemon",
                 {},
                 K::container_failed,
                 "start docker on the host: systemctl start docker"},

    // podman
    ToolSentence{"no container with name or ID", {}, K::container_absent, {}},
    ToolSentence{"container state improper", {}, K::container_not_running, {}},

    // incus, and lxc of LXD
    ToolSentence{"Instance not found", {}, K::container_absent, {}},
    ToolSentence{"Error: not found", {}, K::container_absent, {}},
    ToolSentence{"Instance is not running", {}, K::container_not_running, {}},
    ToolSentence{"Instance is frozen", {}, K::container_frozen, {}},
    ToolSentence{"Error: Command not found", {}, K::container_failed, no_shell},
    ToolSentence{"have the needed permissions to talk to", {}, K::container_not_root, {}},
    ToolSentence{"unix.socket", "permission denied", K::container_not_root, {}},

    // kubectl
    ToolSentence{"Error from server (NotFound)", {}, K::container_absent, {}},
    ToolSentence{"is not valid for pod", {}, K::container_absent, {}},
    ToolSentence{
        "unable to upgrade connection: container not found", {}, K::container_not_running, {}},
    ToolSentence{
        "cannot exec into a container in a completed pod", {}, K::container_not_running, {}},

    // nsenter
    ToolSentence{"nsenter: failed to execute", {}, K::container_failed, no_shell},
    ToolSentence{"nsenter: ", "No such file or directory", K::container_absent, {}},
    ToolSentence{"nsenter: ", "Permission denied", K::container_not_root, {}},
    ToolSentence{"nsenter: ", "Operation not permitted", K::container_not_root, {}},

    // apptainer
    ToolSentence{"no instance found with name", {}, K::container_absent, {}},

    // sudo, env and the host's shell, when the words of an entry begin with them
    ToolSentence{"sudo: ", "command not found", K::container_tool_missing, {}},
    ToolSentence{"sudo: ", "password", K::container_not_root, no_sudo},
    ToolSentence{"sudo: ", "terminal", K::container_not_root, no_sudo},
    ToolSentence{"is not in the sudoers file", {}, K::container_not_root, no_sudo},
    ToolSentence{"env: ", "No such file or directory", K::container_tool_missing, {}},
    ToolSentence{"exec: ", "not found", K::container_tool_missing, {}},
};

bool stands_in(const ToolSentence& sentence, std::string_view line) {
    return line.find(sentence.text) != std::string_view::npos &&
           line.find(sentence.also) != std::string_view::npos;
}

}  // namespace

SaidSentence find_tool_sentence(const std::vector<std::string_view>& lines) {
    for (const ToolSentence& sentence : sentences) {
        for (const std::string_view line : lines) {
            if (stands_in(sentence, line)) return {&sentence, line};
        }
    }
    return {nullptr, {}};
}

}  // namespace gpumuster
