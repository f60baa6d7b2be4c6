#pragma once

#include <atomic>
#include <string>
#include <thread>

#include "gpumuster/transport/loop/unique_fd.hpp"

namespace gpumuster::test {

// A name server on port 53 of a loopback address of its own; needs root. It knows no name.
class NameServer {
public:
    enum class Manner {
        knows_nothing,  // NXDOMAIN
        is_broken,      // SERVFAIL
        is_silent,
    };
    explicit NameServer(Manner manner);
    ~NameServer();
    NameServer(const NameServer&) = delete;
    NameServer& operator=(const NameServer&) = delete;

    // For /etc/resolv.conf.
    std::string resolv_conf() const { return "nameserver " + address_ + "\n"; }

private:
    void answer_all();

    const Manner manner_;
    UniqueFd fd_;
    std::string address_;
    std::atomic<bool> is_ending_{false};
    std::thread thread_;
};

}  // namespace gpumuster::test
