#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "gpumuster/transport/ssh/login_session.hpp"
#include "gpumuster/transport/ssh/shared_hop.hpp"

namespace gpumuster {

// The shared sessions of one loop: at most one to each chain of hops, opened by the first visit
// that needs it. A hop that cannot be opened is not tried again in this run; one that breaks is
// opened anew, twice at most. Loop thread only.
class HopPool {
public:
    // One sshd on the way, and how failures there are named.
    struct Step {
        const Login* login;
        HopRef hop;
    };
    // What the visit that comes first lends to the opening.
    struct Visitor {
        const Budgets& budgets;
        std::stop_token cancel;
        LoginLedger& ledger;
        std::vector<Remark>& remarks;  // gets those of the whole chain
    };

    HopPool(const asio::any_io_executor& executor, const LoginTools& tools);
    ~HopPool();
    HopPool(const HopPool&) = delete;
    HopPool& operator=(const HopPool&) = delete;

    struct Entered {
        std::shared_ptr<SharedHop> hop;
        std::string peer_address;  // of the chain's last sshd
    };
    // The session to the last sshd of the chain, which is not empty.
    asio::awaitable<Result<Entered>> enter(std::span<const Step> chain, const Visitor& visitor);

    // Ends all sessions and joins what is still being opened.
    asio::awaitable<void> close();

private:
    struct Entry;
    asio::awaitable<void> open(std::shared_ptr<Entry> entry);
    asio::awaitable<Result<Entered>> try_open(Entry& entry);
    asio::awaitable<std::optional<Failure>> wait_until_open(Entry& entry, const Visitor& visitor,
                                                            const HopRef& hop);

    const asio::any_io_executor executor_;
    const LoginTools& tools_;
    std::map<std::string, std::shared_ptr<Entry>> entries_;
    std::vector<std::shared_ptr<SharedHop>> opened_;  // in the order of opening
    std::size_t openings_ = 0;                        // coroutines that are not joined yet
    Signal all_joined_;
};

// Names the session at the end of a chain: route, user, address, keys.
std::string chain_name(std::span<const HopPool::Step> chain);

// Names the sshd at the end of a chain whoever logs in, the same for all loops: what the ledger
// counts by.
std::string sshd_name(std::span<const HopPool::Step> chain);

}  // namespace gpumuster
