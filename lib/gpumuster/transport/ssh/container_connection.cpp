#include "gpumuster/transport/ssh/container_connection.hpp"

#include <algorithm>
#include <utility>

#include "gpumuster/transport/entry/container_failure.hpp"
#include "gpumuster/transport/entry/entry_lines.hpp"
#include "gpumuster/transport/entry/login_shell.hpp"
#include "gpumuster/transport/loop/pause.hpp"
#include "gpumuster/transport/ssh/exec_channel.hpp"

namespace gpumuster {
namespace {

// sshd frees the slot of a session that has ended some time after it said so.
constexpr std::chrono::milliseconds first_pause{20};
constexpr std::chrono::milliseconds longest_pause{320};

}  // namespace

struct ContainerConnection::Attempt {
    bool was_refused = false;  // by sshd, for want of a session slot
    bool was_alone = false;    // no other command of ours held one
    Result<CommandOutput> output = failed(Failure());
};

ContainerConnection::ContainerConnection(Parts parts, StageClock& clock)
    : parts_(std::move(parts)), clock_(clock) {}

asio::awaitable<ContainerConnection::Attempt> ContainerConnection::try_once(
    const std::string& text, std::chrono::milliseconds limit) {
    Attempt attempt;
    const Slots::Slot slot = co_await parts_.host->commands().enter(parts_.cancel);
    if (!slot.is_held()) {
        attempt.output =
            failed(make_failure(FailureKind::run_interrupted, parts_.hop, "interrupted"));
        co_return attempt;
    }
    ExecChannel channel(*parts_.host, parts_.hop, parts_.output_cap_bytes);
    const Deadline start_by = std::chrono::steady_clock::now() + parts_.channel_budget;
    std::optional<Failure> failure = co_await channel.start(text, start_by);
    if (failure) {
        attempt.was_refused = failure->kind == FailureKind::channel_refused;
        const std::size_t others = parts_.host->commands().used() - 1;
        attempt.was_alone = others == 0;
        if (attempt.was_refused) parts_.host->commands().lower_to(others);
        attempt.output = failed(std::move(*failure));
        co_return attempt;
    }
    clock_.enter(Stage::command);
    attempt.output = co_await channel.finish(std::chrono::steady_clock::now() + limit);
    co_return attempt;
}

asio::awaitable<Result<CommandOutput>> ContainerConnection::run(RemoteCommand command) {
    const std::string text = for_login_shell(command, parts_.container);
    clock_.enter(Stage::channel);
    auto wait = first_pause;
    // A refusal counts only while nothing of ours is in the way.
    Deadline give_up = Deadline::max();
    Attempt attempt = co_await try_once(text, command.limit);
    while (attempt.was_refused) {
        const auto now = std::chrono::steady_clock::now();
        if (!attempt.was_alone) give_up = Deadline::max();
        if (attempt.was_alone && give_up == Deadline::max()) give_up = now + parts_.channel_budget;
        if (now >= give_up) break;
        const Wake wake = co_await pause_until(now + wait, parts_.cancel);
        if (wake == Wake::cancelled) break;
        wait = std::min(wait * 2, longest_pause);
        attempt = co_await try_once(text, command.limit);
    }
    clock_.leave();
    const bool is_lost = parts_.host->is_lost();
    if (!attempt.output) {
        if (is_lost) co_return failed(parts_.host->lost_failure());
        co_return std::move(attempt.output);
    }
    if (is_lost && attempt.output->ending == Ending::lost) {
        co_return failed(parts_.host->lost_failure());
    }
    std::optional<Failure> failure =
        container_failure(*attempt.output, parts_.container, parts_.hop);
    if (failure) co_return failed(std::move(*failure));
    drop_entry_lines(*attempt.output);
    co_return std::move(attempt.output);
}

}  // namespace gpumuster
