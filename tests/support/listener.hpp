#pragma once

#include <cstdint>

#include "gpumuster/transport/loop/unique_fd.hpp"

namespace gpumuster::test {

// A TCP listener on a loopback port that the kernel chose.
struct Listener {
    UniqueFd fd;
    std::uint16_t port = 0;
};
Listener listen_on_loopback();

// A loopback port that refuses: it is bound, so that nobody else gets it, and nobody listens.
Listener refuse_on_loopback();

// Blocks until a connection has come.
UniqueFd accept_from(const Listener& listener);

}  // namespace gpumuster::test
