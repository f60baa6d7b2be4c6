#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gpumuster/transport/ssh/session_driver.hpp"
#include "gpumuster/transport/transport.hpp"

namespace gpumuster {

class SharedHop;

// An authenticated session of one visit's own, ready for commands.
class SshConnection : public Connection {
public:
    struct Parts {
        std::shared_ptr<SharedHop> through;  // the last hop; outlives the session in its tunnel
        std::unique_ptr<SshSession> session;
        std::unique_ptr<LoginLedger::Place> place;  // until the first channel is answered
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
    bool has_lost_hop() const;

    Parts parts_;
    OwnSession driver_;
    StageClock& clock_;
};

}  // namespace gpumuster
