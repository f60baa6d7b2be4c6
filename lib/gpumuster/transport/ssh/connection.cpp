#include "gpumuster/transport/ssh/connection.hpp"

#include <utility>

#include "gpumuster/transport/entry/login_shell.hpp"
#include "gpumuster/transport/ssh/exec_channel.hpp"

namespace gpumuster {

SshConnection::SshConnection(Parts parts, StageClock& clock)
    : parts_(std::move(parts)), clock_(clock) {}

asio::awaitable<Result<CommandOutput>> SshConnection::run(RemoteCommand command) {
    const std::string text = for_login_shell(command);
    ExecChannel channel(*parts_.session, parts_.hop, parts_.output_cap_bytes);

    clock_.enter(Stage::channel);
    const Deadline start_by = std::chrono::steady_clock::now() + parts_.channel_budget;
    std::optional<Failure> failure = co_await channel.start(text, start_by);
    if (failure) {
        clock_.leave();
        co_return failed(std::move(*failure));
    }
    clock_.enter(Stage::command);
    const Deadline finish_by = std::chrono::steady_clock::now() + command.limit;
    CommandOutput output = co_await channel.finish(finish_by);
    clock_.leave();
    co_return output;
}

}  // namespace gpumuster
