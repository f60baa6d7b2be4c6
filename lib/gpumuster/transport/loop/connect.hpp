#pragma once

#include <memory>
#include <string>
#include <vector>

#include <asio/awaitable.hpp>

#include "gpumuster/transport/loop/resolve.hpp"
#include "gpumuster/transport/loop/signal.hpp"
#include "gpumuster/transport/loop/unique_fd.hpp"

namespace gpumuster {

enum class ConnectStatus {
    connected,
    refused,
    reset,  // accepted, and reset before the first byte
    no_route,
    timed_out,
    cancelled,
    out_of_descriptors,
    failed,
};

struct ConnectOutcome {
    ConnectStatus status = ConnectStatus::failed;
    UniqueFd fd;               // non-blocking, CLOEXEC, TCP_NODELAY
    std::string peer_address;  // numeric, of the one that answered
    std::string detail;        // what the system said of the last address that failed
};

// Connects to the first address that answers (happy eyeballs, RFC 8305): families take turns,
// starting with the resolver's first, and the next attempt starts when one failed or after 250 ms.
// Losers are closed. `leave` belongs to the caller's loop and ends it early when cancelled.
asio::awaitable<ConnectOutcome> connect_any(const std::vector<SocketAddress>& addresses,
                                            Deadline deadline, std::shared_ptr<Signal> leave);

}  // namespace gpumuster
