#include "gpumuster/transport/entry/container_failure.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "gpumuster/base/safe_text.hpp"
#include "gpumuster/transport/entry/entry_lines.hpp"
#include "gpumuster/transport/entry/entry_script.hpp"
#include "gpumuster/transport/entry/tool_sentences.hpp"

namespace gpumuster {
namespace {

using K = FailureKind;
using Kind = ContainerEntry::Kind;

// docker says on standard output that it found no shell to start.
constexpr std::string_view said_on_output = "OCI runtime exec failed";

bool has_failed(const CommandOutput& output) {
    return output.ending == Ending::signalled ||
           (output.ending == Ending::exited && output.code != 0);
}

// A tool may keep standard error for itself; what is on standard output is the command's.
bool has_command_answered(const CommandOutput& output) {
    return !output.out.empty() && output.out.find(said_on_output) == std::string::npos;
}

std::string quoted_name(const ContainerEntry& container) {
    return quote_line(container_name(container), 64);
}

Failure with_step(Failure failure, std::string next_step) {
    if (!next_step.empty()) failure.next_step = std::move(next_step);
    return failure;
}

std::string tool_of(const ContainerEntry& container) {
    const std::vector<std::string> words = entry_words(container);
    if (words.empty()) return {};
    return words.front().substr(words.front().rfind('/') + 1);
}

// The name that docker and podman end their words with; their own options begin with "-".
std::string docker_like_name(const ContainerEntry& container) {
    const std::vector<std::string> words = entry_words(container);
    const bool has_name = words.size() > 2 && !words.back().starts_with('-');
    return has_name ? quote_line(words.back(), 64) : std::string();
}

// What a person would type on the host, where we know it. We never do it ourselves.
std::string command_to_settle(K kind, const ContainerEntry& container) {
    const std::string tool = tool_of(container);
    if (container.kind == Kind::pct) {
        if (kind == K::container_not_running) return "pct start " + quoted_name(container);
        // `pct resume` is for what `pct suspend` has written to disk, and thaws nothing.
        if (kind == K::container_frozen) return "lxc-unfreeze -n " + quoted_name(container);
        return {};
    }
    if (tool != "docker" && tool != "podman") return {};
    const std::string name = docker_like_name(container);
    if (name.empty()) return {};
    if (kind == K::container_not_running) return tool + " start " + name;
    if (kind == K::container_frozen) return tool + " unpause " + name;
    if (kind == K::container_absent) return tool + " ps -a";
    return {};
}

bool is_plain_word(const std::string& word) {
    return !word.empty() && std::all_of(word.begin(), word.end(), [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
               std::string_view("-_./:=@%+,").find(c) != std::string_view::npos;
    });
}

// "ssh root@pve1 pct exec 129 -- true"
std::string same_by_hand(const Failure& by_kind, const ContainerEntry& container) {
    std::string text = by_kind.next_step;
    for (const std::string& word : entry_words(container)) {
        if (!is_plain_word(word)) return by_kind.next_step;
        text += " " + word;
    }
    return text + " true";
}

std::string next_step(const Failure& by_kind, const ContainerEntry& container) {
    if (by_kind.kind == K::container_failed) return same_by_hand(by_kind, container);
    const std::string command = command_to_settle(by_kind.kind, container);
    switch (by_kind.kind) {
        case K::container_not_running:
            if (command.empty()) break;
            return "start it on the host, or take it out of the inventory: " + command;
        case K::container_frozen:
            if (command.empty()) break;
            return "if no backup or snapshot is at work, which thaws it: " + command;
        case K::container_absent:
            if (command.empty()) break;
            return "check the name of the container: " + command;
        default:
            break;
    }
    return by_kind.next_step;
}

Failure failure_of(K kind, const ContainerEntry& container, const HopRef& hop,
                   std::string message) {
    Failure failure = make_failure(kind, hop, std::move(message));
    std::string step = next_step(failure, container);
    return with_step(std::move(failure), std::move(step));
}

Failure found_before_entering(const EntryReport& report, const ContainerEntry& container,
                              const HopRef& hop) {
    const std::string name = quoted_name(container);
    const std::string detail = quote_line(report.detail, 64);
    if (report.finding == entry_tool_missing) {
        return failure_of(K::container_tool_missing, container, hop,
                          fmt::format("the host has no {}", detail));
    }
    if (report.finding == entry_frozen) {
        return failure_of(K::container_frozen, container, hop,
                          fmt::format("container {} is frozen", name));
    }
    if (report.finding == entry_other_node) {
        return with_step(make_failure(K::container_on_other_node, hop,
                                      fmt::format("container {} is on node {}", name, detail)),
                         fmt::format("set address: to node {}, which has it", detail));
    }
    return with_step(
        make_failure(
            K::container_absent, hop,
            fmt::format("{} is a virtual machine of node {}, not a container", name, detail)),
        fmt::format("a virtual machine is asked through its agent, on node {}: qm guest exec {} -- "
                    "nvidia-smi",
                    detail, name));
}

bool is_finding(std::string_view word) {
    return word == entry_tool_missing || word == entry_frozen || word == entry_other_node ||
           word == entry_virtual_machine;
}

std::string what_was_said(const EntryReport& report, const CommandOutput& output,
                          const ContainerEntry& container) {
    std::string text;
    for (const std::string_view line : report.said) text.append(line).append(" ");
    text = quote_line(text);
    if (!text.empty()) return text;
    const std::string tool = quote_line(tool_of(container), 64);
    if (output.ending == Ending::signalled) {
        return fmt::format("{} was ended by signal {}", tool, quote_line(output.signal, 16));
    }
    return fmt::format("{} ended with status {} and said nothing", tool, output.code);
}

}  // namespace

std::optional<Failure> container_failure(const CommandOutput& output,
                                         const ContainerEntry& container, const HopRef& hop) {
    if (!has_failed(output) || has_command_answered(output)) return {};
    const EntryReport report = read_entry(output);
    if (report.has_entered) return {};
    if (!report.has_begun) {
        if (!is_finding(report.finding)) return {};
        return found_before_entering(report, container, hop);
    }
    const SaidSentence said = find_tool_sentence(report.said);
    if (said.sentence == nullptr) {
        return failure_of(K::container_failed, container, hop,
                          what_was_said(report, output, container));
    }
    Failure failure = failure_of(said.sentence->kind, container, hop, quote_line(said.line));
    return with_step(std::move(failure), std::string(said.sentence->next_step));
}

}  // namespace gpumuster
