#include "gpumuster/transport/ssh/connection.hpp"

#include "gpumuster/transport/entry/login_shell.hpp"
#include "gpumuster/transport/ssh/exec_channel.hpp"
#include "gpumuster/transport/ssh/shared_hop.hpp"

namespace gpumuster {

SshConnection::SshConnection(Parts parts, StageClock& clock)
    : parts_(std::move(parts)), driver_(std::move(parts_.session)), clock_(clock) {}

bool SshConnection::has_lost_hop() const {
    return parts_.through && parts_.through->is_lost();
}

asio::awaitable<Result<CommandOutput>> SshConnection::run(RemoteCommand command) {
    const std::string text = for_login_shell(command);
    ExecChannel channel(driver_, parts_.hop, parts_.output_cap_bytes);

    clock_.enter(Stage::channel);
    const Deadline start_by = std::chrono::steady_clock::now() + parts_.channel_budget;
    std::optional<Failure> failure = co_await channel.start(text, start_by);
    parts_.place.reset();
    if (failure) {
        clock_.leave();
        if (has_lost_hop()) co_return failed(parts_.through->lost_failure());
        co_return failed(std::move(*failure));
    }
    clock_.enter(Stage::command);
    const Deadline finish_by = std::chrono::steady_clock::now() + command.limit;
    CommandOutput output = co_await channel.finish(finish_by);
    clock_.leave();
    // The host is as it was; it is the way to it that has gone.
    if (output.ending == Ending::lost && has_lost_hop()) {
        co_return failed(parts_.through->lost_failure());
    }
    co_return output;
}

}  // namespace gpumuster
