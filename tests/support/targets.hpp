#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gpumuster/transport/login_ledger.hpp"
#include "gpumuster/transport/target.hpp"

namespace gpumuster::test {

// The way to a host as the inventory alone gives it.
inline Target target_of(Host host, const LoginDefaults& defaults = {}) {
    EffectiveSettings settings = effective_settings(host, defaults);
    return Target{std::move(host), std::move(settings)};
}

inline std::vector<Target> targets_of(const std::vector<Host>& hosts,
                                      const LoginDefaults& defaults = {}) {
    std::vector<Target> targets;
    for (const Host& host : hosts) targets.push_back(target_of(host, defaults));
    return targets;
}

// Lets everybody in at once.
class OpenLedger : public LoginLedger {
public:
    asio::awaitable<std::unique_ptr<Place>> enter(std::string, std::stop_token) override {
        class FreePlace : public Place {
            void dropped() override {}
        };
        co_return std::make_unique<FreePlace>();
    }
    bool may_offer(const std::string&, const std::string&) override { return true; }
    void refused(const std::string&, const std::string&) override {}
    void accepted(const std::string&, const std::string&) override {}
};

}  // namespace gpumuster::test
