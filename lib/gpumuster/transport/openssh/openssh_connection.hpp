#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gpumuster/transport/openssh/openssh_transport.hpp"

namespace gpumuster {

// The way into one host by the system's ssh. Holds nothing open between two commands.
class OpensshConnection : public Connection {
public:
    // What the request refers to and the options outlive the connection.
    OpensshConnection(const OpenRequest& request, const OpensshOptions& options);

    asio::awaitable<Result<CommandOutput>> run(RemoteCommand command) override;
    std::string remote_address() const override { return {}; }

private:
    struct Attempt;

    asio::awaitable<Result<CommandOutput>> try_once(const std::string& text,
                                                    std::chrono::milliseconds limit);
    std::chrono::milliseconds time_to_connect() const;
    std::chrono::milliseconds time_before_command() const;
    void note_remarks(const std::string& err);

    const OpenRequest request_;
    const OpensshOptions& options_;
};

}  // namespace gpumuster
