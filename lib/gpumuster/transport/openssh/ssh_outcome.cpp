#include "gpumuster/transport/openssh/ssh_outcome.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "gpumuster/base/safe_text.hpp"
#include "gpumuster/transport/openssh/ssh_failure.hpp"

namespace gpumuster {
namespace {

// What ssh ends with for any trouble of its own, and where a signal ended the command.
constexpr int own_trouble = 255;

// On each stage, what it means that it was not over in time.
Failure late(SshProgress progress, const EffectiveSettings& settings) {
    const HopRef hop = target_hop(settings);
    const Login& login = settings.target;
    const std::string where = fmt::format("{} port {}", login.address, login.port);
    switch (progress) {
        case SshProgress::silent:
        case SshProgress::started:
            return make_failure(FailureKind::resolve_timeout, hop,
                                fmt::format("no answer to the look-up of {}", login.address));
        case SshProgress::reaching:
            return make_failure(FailureKind::connect_timeout, hop,
                                where + " does not answer in time");
        case SshProgress::connected:
        case SshProgress::greeted:
            return make_failure(FailureKind::handshake_timeout, hop,
                                where + " answers, but does not finish the key exchange in time");
        case SshProgress::trusted:
            return make_failure(FailureKind::auth_timeout, hop,
                                "the host does not finish the login in time");
        default:
            return make_failure(FailureKind::channel_timeout, hop,
                                "logged in, but the host does not answer opening a session");
    }
}

Failure too_much(SshProgress progress, const EffectiveSettings& settings) {
    const bool is_greeted = progress >= SshProgress::greeted;
    return make_failure(is_greeted ? FailureKind::ssh_failed : FailureKind::handshake_not_ssh,
                        target_hop(settings), "more text than any sshd sends before a command");
}

Failure own_failure(const SshTranscript& transcript, const EffectiveSettings& settings) {
    std::optional<Failure> known = ssh_failure(transcript, settings);
    if (known) return std::move(*known);
    const std::string said = quote_line(last_words(transcript));
    return make_failure(FailureKind::ssh_failed, target_hop(settings),
                        said.empty() ? "ssh ended with status 255 without a word" : said);
}

bool was_refused(const SshTranscript& transcript) {
    return transcript.command_err.find("exec request failed on channel") != std::string::npos;
}

// The command was sent; 255 is then its own status, a signal, or the end of the connection.
void name_ending(CommandOutput& output, RemoteEnd end) {
    if (output.ending == Ending::signalled) output.ending = Ending::lost;
    if (output.ending != Ending::exited || output.code != own_trouble) return;
    if (end == RemoteEnd::exit_signal) {
        output.ending = Ending::signalled;
        output.signal = "unknown";
    }
    if (end == RemoteEnd::not_told) output.ending = Ending::lost;
}

std::optional<Failure> failure_before_command(const CommandOutput& of_ssh,
                                              const SshTranscript& transcript,
                                              const EffectiveSettings& settings) {
    const HopRef hop = target_hop(settings);
    switch (of_ssh.ending) {
        case Ending::deadline:
            return late(transcript.progress, settings);
        case Ending::cancelled:
            return make_failure(FailureKind::run_interrupted, hop, "interrupted");
        case Ending::capped:
            return too_much(transcript.progress, settings);
        case Ending::signalled:
            return make_failure(FailureKind::ssh_failed, hop,
                                fmt::format("ssh was ended by signal {}", of_ssh.signal));
        case Ending::exited:
            if (of_ssh.code != own_trouble) return std::nullopt;
            return own_failure(transcript, settings);
        default:
            return std::nullopt;
    }
}

// "Warning: Permanently added '[gpu1]:2201' (ED25519) to the list of known hosts."
constexpr std::string_view added_mark = "Warning: Permanently added '";

struct AddedKey {
    std::string name;
    std::string type;
};

std::optional<AddedKey> added_key(const std::string& line) {
    if (!line.starts_with(added_mark)) return std::nullopt;
    const std::size_t end = line.find("' (", added_mark.size());
    const std::size_t close = line.find(')', end);
    if (end == std::string::npos || close == std::string::npos) return std::nullopt;
    return AddedKey{line.substr(added_mark.size(), end - added_mark.size()),
                    line.substr(end + 3, close - end - 3)};
}

// A jump host's ssh speaks before our own has been greeted.
std::optional<std::size_t> hop_of(const std::string& name, SshProgress at,
                                  const EffectiveSettings& settings) {
    if (at >= SshProgress::greeted) return std::nullopt;
    for (std::size_t index = 0; index < settings.hops.size(); ++index) {
        if (known_hosts_name(settings.hops[index]) == name) return index;
    }
    return std::nullopt;
}

}  // namespace

Result<CommandOutput> ssh_outcome(CommandOutput of_ssh, const EffectiveSettings& settings) {
    SshTranscript transcript = read_ssh_transcript(of_ssh.err);
    const bool is_started = transcript.progress == SshProgress::command_sent || !of_ssh.out.empty();
    if (!is_started) {
        std::optional<Failure> failure = failure_before_command(of_ssh, transcript, settings);
        if (failure) return failed(std::move(*failure));
    }
    if (transcript.progress != SshProgress::command_sent) return of_ssh;
    if (of_ssh.out.empty() && transcript.end == RemoteEnd::not_told && was_refused(transcript)) {
        return failed(make_failure(FailureKind::channel_exec_refused, target_hop(settings),
                                   "logged in, but the host runs no command for this login"));
    }
    name_ending(of_ssh, transcript.end);
    of_ssh.err = std::move(transcript.command_err);
    return of_ssh;
}

std::vector<Remark> ssh_remarks(const SshTranscript& transcript,
                                const EffectiveSettings& settings) {
    std::vector<Remark> remarks;
    for (const SshLine& line : transcript.lines) {
        const std::optional<AddedKey> key = line.is_debug ? std::nullopt : added_key(line.text);
        // Words of the host itself come after its key is accepted.
        if (!key || line.at >= SshProgress::trusted) continue;
        const std::optional<std::size_t> index = hop_of(key->name, line.at, settings);
        const Login& login = index ? settings.hops[*index] : settings.target;
        const bool is_verified = login.host_key_rule != HostKeyRule::accept_unverified;
        Remark remark;
        remark.kind = is_verified ? RemarkKind::host_key_added : RemarkKind::host_key_unverified;
        remark.hop = index ? jump_hop(settings, *index) : target_hop(settings);
        remark.message = fmt::format("the key of {} ({}) was new and is accepted",
                                     quote_line(key->name), quote_line(key->type, 32));
        remarks.push_back(std::move(remark));
    }
    return remarks;
}

}  // namespace gpumuster
