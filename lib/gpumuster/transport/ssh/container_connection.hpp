#pragma once

#include <memory>
#include <string>
#include <vector>

#include "gpumuster/transport/ssh/shared_hop.hpp"
#include "gpumuster/transport/transport.hpp"

namespace gpumuster {

// A way into one container over the session that all containers of its host share.
class ContainerConnection : public Connection {
public:
    struct Parts {
        std::shared_ptr<SharedHop> host;
        ContainerEntry container;
        HopRef hop;
        std::string remote_address;
        std::size_t output_cap_bytes = 0;
        std::chrono::milliseconds channel_budget{0};
        std::stop_token cancel;
    };
    // The clock outlives the connection.
    ContainerConnection(Parts parts, StageClock& clock);

    // A Failure also when the container could not be entered, as its tool says.
    asio::awaitable<Result<CommandOutput>> run(RemoteCommand command) override;
    std::string remote_address() const override { return parts_.remote_address; }

private:
    struct Attempt;
    asio::awaitable<Attempt> try_once(const std::string& text, std::chrono::milliseconds limit);

    Parts parts_;
    StageClock& clock_;
};

}  // namespace gpumuster
