#include "gpumuster/transport/openssh/openssh_connection.hpp"

#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "gpumuster/transport/entry/container_failure.hpp"
#include "gpumuster/transport/entry/entry_lines.hpp"
#include "gpumuster/transport/entry/login_shell.hpp"
#include "gpumuster/transport/loop/pause.hpp"
#include "gpumuster/transport/openssh/ssh_command_line.hpp"
#include "gpumuster/transport/openssh/ssh_outcome.hpp"
#include "gpumuster/transport/openssh/ssh_transcript.hpp"
#include "gpumuster/transport/process/process.hpp"
#include "gpumuster/transport/retries.hpp"

namespace gpumuster {
namespace {

// The sshd that our process connects to; the same name as for the sessions of libssh. A way that a
// ProxyCommand makes has no other.
std::string first_sshd(const EffectiveSettings& settings) {
    const Login& login = settings.hops.empty() ? settings.target : settings.hops.front();
    return fmt::format("{}:{} > ", login.address, login.port);
}

Stage stage_at(SshProgress progress) {
    switch (progress) {
        case SshProgress::connected:
        case SshProgress::greeted:
            return Stage::handshake;
        case SshProgress::trusted:
            return Stage::auth;
        case SshProgress::logged_in:
            return Stage::channel;
        case SshProgress::command_sent:
            return Stage::command;
        default:
            return Stage::connect;
    }
}

Failure interrupted(const EffectiveSettings& settings) {
    return make_failure(FailureKind::run_interrupted, target_hop(settings), "interrupted");
}

}  // namespace

// One run of ssh as it goes on.
struct OpensshConnection::Attempt {
    StageClock& clock;
    std::unique_ptr<LoginLedger::Place> place;
    std::chrono::milliseconds before_command;
    std::chrono::milliseconds limit;
    Deadline begun = std::chrono::steady_clock::now();
    SshTranscriptReader reader{};
    SshProgress progress = SshProgress::silent;

    void hear(std::string_view bytes, Deadline& deadline) {
        if (progress == SshProgress::command_sent) return;
        reader.add(bytes);
        if (reader.progress() == progress) return;
        progress = reader.progress();
        clock.enter(stage_at(progress));
        // sshd counts those that are not logged in yet.
        if (progress >= SshProgress::logged_in) place.reset();
        deadline = progress == SshProgress::command_sent ? std::chrono::steady_clock::now() + limit
                                                         : begun + before_command;
    }
};

OpensshConnection::OpensshConnection(const OpenRequest& request, const OpensshOptions& options)
    : request_(request), options_(options) {}

// With jump hosts in between, the logins at all of them come before the host's first word.
std::chrono::milliseconds OpensshConnection::time_to_connect() const {
    const Budgets& budgets = request_.budgets;
    const auto hops = static_cast<long>(request_.settings.hops.size());
    return budgets.connect +
           hops * (budgets.resolve + budgets.connect + budgets.handshake + budgets.auth);
}

std::chrono::milliseconds OpensshConnection::time_before_command() const {
    const Budgets& budgets = request_.budgets;
    return budgets.resolve + time_to_connect() + budgets.handshake + budgets.auth + budgets.channel;
}

void OpensshConnection::note_remarks(const std::string& err) {
    const SshTranscript transcript = read_ssh_transcript(err);
    for (Remark& remark : ssh_remarks(transcript, request_.settings)) {
        add_remark(request_.remarks, std::move(remark));
    }
}

asio::awaitable<Result<CommandOutput>> OpensshConnection::try_once(
    const std::string& text, std::chrono::milliseconds limit) {
    const EffectiveSettings& settings = request_.settings;
    request_.clock.enter(Stage::connect);
    std::unique_ptr<LoginLedger::Place> place =
        co_await request_.ledger.enter(first_sshd(settings), request_.cancel);
    if (!place) co_return failed(interrupted(settings));

    Attempt attempt{request_.clock, std::move(place), time_before_command(), limit};
    ProcessOrder order;
    order.argv = ssh_command_line(options_.ssh_program, settings, time_to_connect(), text);
    // Until ssh says how far it is, there is one limit for all of it.
    order.deadline = attempt.begun + attempt.before_command + limit;
    order.output_cap_bytes = options_.output_cap_bytes;
    order.cancel = request_.cancel;
    // The ssh for a jump host is started by ssh, without BatchMode.
    order.surroundings.environment["SSH_ASKPASS_REQUIRE"] = "never";
    order.surroundings.terminal = Terminal::none;
    order.on_err = [&attempt](std::string_view bytes, Deadline& deadline) {
        attempt.hear(bytes, deadline);
    };
    tl::expected<CommandOutput, int> output = co_await run_process(std::move(order));
    if (!output) {
        co_return failed(make_failure(
            FailureKind::ssh_failed, target_hop(settings),
            fmt::format("{}: {}", options_.ssh_program, std::strerror(output.error()))));
    }
    note_remarks(output->err);
    Result<CommandOutput> outcome = ssh_outcome(std::move(*output), settings);
    const bool was_dropped = !outcome && Retries::was_dropped(outcome.error());
    if (was_dropped && attempt.place) attempt.place->dropped();
    co_return outcome;
}

asio::awaitable<Result<CommandOutput>> OpensshConnection::run(RemoteCommand command) {
    const std::optional<ContainerEntry>& container = request_.host.settings.container;
    const std::string text = for_login_shell(command, container);
    Retries retries(options_.jitter);
    Result<CommandOutput> outcome = co_await try_once(text, command.limit);
    while (!outcome) {
        const auto pause = retries.pause_after(outcome.error());
        if (!pause) break;
        const Deadline again = std::chrono::steady_clock::now() + *pause;
        const Wake wake = co_await pause_until(again, request_.cancel);
        if (wake == Wake::cancelled) {
            outcome = failed(interrupted(request_.settings));
            break;
        }
        outcome = co_await try_once(text, command.limit);
    }
    request_.clock.leave();
    if (outcome && container) {
        const HopRef hop = target_hop(request_.settings);
        std::optional<Failure> failure = container_failure(*outcome, *container, hop);
        if (failure) co_return failed(std::move(*failure));
        drop_entry_lines(*outcome);
    }
    co_return outcome;
}

}  // namespace gpumuster
