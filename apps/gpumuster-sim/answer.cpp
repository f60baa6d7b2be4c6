#include "gpumuster-sim/answer.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "gpumuster-sim/script.hpp"
#include "gpumuster-sim/smi.hpp"
#include "gpumuster/probe/frame.hpp"

namespace gpumuster::sim {
namespace {

bool contains(std::string_view text, std::string_view part) {
    return text.find(part) != std::string_view::npos;
}

// `NVRM version: …`, which the kernel gives as long as the module is loaded.
CommandResult driver_version(const SimulatedHost& host) {
    if (host.state == HostState::driver_not_loaded) return {{}, {}, 1};
    return {fmt::format("NVRM version: NVIDIA UNIX x86_64 Kernel Module  {}  "
                        "Thu Jan 23 23:16:52 UTC 2025\n",
                        kernel_driver_version),
            {},
            0};
}

// The rows of `ps` for those pids of ours that the command names.
CommandResult process_owners(const SimulatedHost& host, std::string_view command) {
    CommandResult result;
    for (const GpuHolder& holder : gpu_holders(host)) {
        const std::string pid = std::to_string(holder.pid);
        if (!contains(command, pid)) continue;
        result.out += fmt::format("{:>7} {:<32} Sl     11520 {}\n", pid, host.user, host.command);
    }
    return result;
}

// An nvidia-smi that has been in state D for 41 minutes: pid and age.
CommandResult stuck_queries(const SimulatedHost& host) {
    return {host.state == HostState::stuck ? "3120 2460\n" : "", {}, 0};
}

CommandResult run_section(const SimulatedHost& host, const AskedSection& section) {
    if (contains(section.body, "--query-")) return nvidia_smi(host, section.body);
    if (section.name == "session") return {"0\npid:[4026531836]\n", {}, 0};
    if (section.name == "driver") return driver_version(host);
    if (section.name == "stuck") return stuck_queries(host);
    if (section.name == "owners") return process_owners(host, section.body);
    return {{}, fmt::format("sh: 1: {}: not simulated\n", section.name), 127};
}

// The first half, up to somewhere within a row.
std::string torn(const std::string& rows) {
    const std::size_t end_of_row = rows.find('\n', rows.size() / 2);
    if (end_of_row == std::string::npos) return {};
    return rows.substr(0, end_of_row - std::min<std::size_t>(end_of_row, 3));
}

// What the states that spoil an answer do in the middle of the GPU query; empty for the others.
std::optional<Answer> spoiled(const SimulatedHost& host, std::string out, const std::string& err,
                              const std::string& rows) {
    switch (host.state) {
        case HostState::hung:
        case HostState::stuck:
            return Answer{std::move(out), err, AnswerEnd::never};
        case HostState::torn:
            return Answer{out + torn(rows), err, AnswerEnd::connection_cut};
        case HostState::signalled:
            return Answer{out + torn(rows), err, AnswerEnd::signalled, 0, "KILL"};
        default:
            return {};
    }
}

AnswerEnd normal_end(const SimulatedHost& host) {
    return host.state == HostState::no_status ? AnswerEnd::without_status : AnswerEnd::exited;
}

// Whether the script asks nothing more of the driver after this.
bool is_last_word(const AskedSection& section, const CommandResult& result) {
    if (section.name == "stuck") return !result.out.empty();
    const int status = result.exit_status;
    return section.name == "gpus" && (status == 9 || status == 12 || status == 18);
}

Answer answer_script(const SimulatedHost& host, const AskedScript& script) {
    Answer answer{"\n", "\n", normal_end(host)};
    bool is_stopped = false;
    for (const AskedSection& section : script.sections) {
        if (is_stopped && section.is_conditional) continue;
        const CommandResult result = run_section(host, section);
        const std::string begin = section_begin(script.marker, section.name);
        answer.out += begin;
        answer.err += begin;
        if (section.name == "gpus") {
            if (auto end = spoiled(host, answer.out, answer.err, result.out)) return *end;
        }
        const std::string end = section_end(script.marker, section.name, result.exit_status);
        answer.out += result.out + end;
        answer.err += result.err + end;
        is_stopped = is_stopped || is_last_word(section, result);
    }
    answer.out += frame_done(script.marker);
    return answer;
}

Answer answer_bare(const SimulatedHost& host, std::string_view command) {
    if (!contains(command, "nvidia-smi")) {
        const std::string_view name = command.substr(0, command.find(' '));
        return {{}, fmt::format("sh: 1: {}: not found\n", name), normal_end(host), 127};
    }
    const CommandResult result = nvidia_smi(host, command);
    if (auto end = spoiled(host, {}, {}, result.out)) return *end;
    return {result.out, result.err, normal_end(host), result.exit_status};
}

Answer flood() {
    std::string block;
    while (block.size() < 32'000) block += "0, 2 MiB\n";
    return {block, {}, AnswerEnd::endless};
}

}  // namespace

Answer answer_command(const SimulatedHost& host, std::string_view command) {
    if (host.state == HostState::flood) return flood();
    if (const auto script = read_script(command)) return answer_script(host, *script);
    return answer_bare(host, command);
}

}  // namespace gpumuster::sim
