#pragma once

#include <memory>
#include <stop_token>
#include <string>

#include <asio/awaitable.hpp>

namespace gpumuster {

// What the visits of a run know of each other's logins, so that a run never floods one sshd and
// never offers the same bad key to a whole fleet. One object for all loops; thread-safe.
class LoginLedger {
public:
    virtual ~LoginLedger() = default;

    // A place among the unauthenticated connections to one sshd, given back when it goes.
    class Place {
    public:
        virtual ~Place() = default;
        // sshd dropped the connection before it was logged in: fewer at a time from now on.
        virtual void dropped() = 0;
    };

    // Waits for a place at the sshd that `sshd` names (its route, address and port). Empty when the
    // visit was cancelled while it waited.
    virtual asio::awaitable<std::unique_ptr<Place>> enter(std::string sshd,
                                                          std::stop_token cancel) = 0;

    // Whether a key, named by its fingerprint, may still be offered for a user: false when 20 hosts
    // refused it and none accepted it.
    virtual bool may_offer(const std::string& user, const std::string& key) = 0;
    virtual void refused(const std::string& user, const std::string& key) = 0;
    virtual void accepted(const std::string& user, const std::string& key) = 0;
};

}  // namespace gpumuster
