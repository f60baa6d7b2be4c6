#include "gpumuster/fleet/placement.hpp"

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

}  // namespace gpumuster
