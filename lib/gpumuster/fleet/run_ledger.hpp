#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "gpumuster/transport/login_ledger.hpp"

namespace gpumuster {

// The ledger of one run. At most eight unauthenticated connections to one sshd at a time, below the
// ten at which MaxStartups begins to drop; halved when sshd drops one all the same, with a pause
// between one login and the next; one more after eight that it did not drop.
class RunLedger : public LoginLedger {
public:
    // `first_spacing` is the pause after the first drop of an sshd.
    explicit RunLedger(std::chrono::milliseconds first_spacing = std::chrono::milliseconds(50));
    ~RunLedger() override;

    asio::awaitable<std::unique_ptr<Place>> enter(std::string sshd,
                                                  std::stop_token cancel) override;
    bool may_offer(const std::string& user, const std::string& key) override;
    void refused(const std::string& user, const std::string& key) override;
    void accepted(const std::string& user, const std::string& key) override;

private:
    struct Gate;
    class GatePlace;
    struct Tally {
        std::size_t refusals = 0;
        bool was_accepted = false;
    };

    const std::chrono::milliseconds first_spacing_;
    std::mutex mutex_;
    std::map<std::string, std::shared_ptr<Gate>> gates_;
    std::map<std::pair<std::string, std::string>, Tally> tallies_;
};

}  // namespace gpumuster
