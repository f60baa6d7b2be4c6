#include "gpumuster/fleet/placement.hpp"

#include <algorithm>
#include <unordered_map>

namespace gpumuster {
namespace {

constexpr std::size_t hosts_in_a_block = 256;

struct Session {
    std::size_t home = 0;
    std::size_t hosts = 0;
};

}  // namespace

Placement place(std::span<const std::string> shared, std::size_t loops) {
    Placement placement;
    placement.per_loop.resize(loops);
    std::unordered_map<std::string, Session> sessions;
    for (std::size_t i = 0; i < shared.size(); ++i) {
        if (shared[i].empty()) {
            placement.anywhere.push_back(i);
            continue;
        }
        const Session fresh{sessions.size() % loops, 0};
        Session& session = sessions.try_emplace(shared[i], fresh).first->second;
        const std::size_t block = session.hosts++ / hosts_in_a_block;
        placement.per_loop[(session.home + block) % loops].push_back(i);
    }
    return placement;
}

std::vector<std::size_t> share_workers(const Placement& placement, std::size_t workers) {
    const std::size_t loops = placement.per_loop.size();
    std::size_t hosts = placement.anywhere.size();
    for (const auto& own : placement.per_loop) hosts += own.size();
    std::vector<std::size_t> shares(loops, 0);
    if (hosts == 0) return shares;

    std::size_t given = 0;
    for (std::size_t i = 0; i < loops; ++i) {
        const std::size_t own = placement.per_loop[i].size();
        // In units of 1/loops of a host, so that nothing is lost by rounding the common part.
        const std::size_t work = own * loops + placement.anywhere.size();
        shares[i] = workers * work / (hosts * loops);
        if (shares[i] == 0 && own > 0) shares[i] = 1;
        given += shares[i];
    }
    for (std::size_t i = 0; given < workers && given < hosts; i = (i + 1) % loops) {
        const bool has_work = !placement.per_loop[i].empty() || !placement.anywhere.empty();
        if (!has_work) continue;
        ++shares[i];
        ++given;
    }
    // The ones that were given beyond the number come from the best served.
    while (given > workers) {
        --*std::max_element(shares.begin(), shares.end());
        --given;
    }
    return shares;
}

}  // namespace gpumuster
