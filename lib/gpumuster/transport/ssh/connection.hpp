#pragma once

#include <memory>
#include <string>

#include "gpumuster/transport/ssh/session.hpp"
#include "gpumuster/transport/transport.hpp"

namespace gpumuster {

// An authenticated session, ready for commands.
class SshConnection : public Connection {
public:
    struct Parts {
        std::unique_ptr<SshSession> session;
        HopRef hop;
        std::string remote_address;
        std::size_t output_cap_bytes = 0;
        std::chrono::milliseconds channel_budget{0};
    };
    // The clock outlives the connection.
    SshConnection(Parts parts, StageClock& clock);

    asio::awaitable<Result<CommandOutput>> run(RemoteCommand command) override;
    std::string remote_address() const override { return parts_.remote_address; }

private:
    Parts parts_;
    StageClock& clock_;
};

}  // namespace gpumuster
