#pragma once

#include <sys/socket.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>

#include "gpumuster/transport/loop/offload.hpp"
#include "gpumuster/transport/loop/signal.hpp"

namespace gpumuster {

// One address to connect to, as getaddrinfo gave it.
struct SocketAddress {
    sockaddr_storage storage{};
    socklen_t length = 0;
};

enum class ResolveStatus { resolved, not_found, failed, timed_out, cancelled };

struct ResolveOutcome {
    ResolveStatus status = ResolveStatus::failed;
    std::vector<SocketAddress> addresses;  // in the order to try
    std::string detail;                    // what the system said
};

// Looks a name up, blocking. The default asks getaddrinfo; tests put their own here.
using BlockingLookup = std::function<ResolveOutcome(const std::string& name, std::uint16_t port)>;
ResolveOutcome lookup_by_getaddrinfo(const std::string& name, std::uint16_t port);

// Name look-ups for all loops: numeric addresses are answered at once, each other name is asked
// for once per run on a bounded pool, and who waits leaves at its deadline even when the name
// server is silent. Thread-safe.
class Resolver {
public:
    explicit Resolver(BlockingLookup lookup = lookup_by_getaddrinfo);
    ~Resolver();

    // `leave` belongs to the caller's loop and ends the wait early when cancelled.
    asio::awaitable<ResolveOutcome> resolve(const std::string& name, std::uint16_t port,
                                            Deadline deadline, std::shared_ptr<Signal> leave);

private:
    struct Shared;
    std::shared_ptr<Shared> shared_;
    Offload pool_;
};

// The text form of an address without its port: "203.0.113.7", "fe80::1%eth0".
std::string numeric_address(const SocketAddress& address);

}  // namespace gpumuster
