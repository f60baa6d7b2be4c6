#include "gpumuster/verdict/holders.hpp"

#include <string>
#include <unordered_map>

#include "gpumuster/verdict/known_programs.hpp"

namespace gpumuster {
namespace {

// A leader can be a zombie while its threads live ("Zl"): those hold the memory.
bool has_ended(const ProcessOwner& owner) {
    if (owner.state.starts_with('X')) return true;
    return owner.state.starts_with('Z') && owner.state.find('l') == std::string::npos;
}

HolderRole role_of(const ProcessReading& process, const ProcessOwner* owner) {
    if (owner != nullptr && has_ended(*owner)) return HolderRole::ended;
    if (!process.name && owner == nullptr) return HolderRole::unseen;
    const std::string& name = process.name ? *process.name : owner->command;
    if (is_infrastructure(name)) return HolderRole::infrastructure;
    if (is_display_server(name)) return HolderRole::display;
    return HolderRole::user;
}

class GpuFinder {
public:
    explicit GpuFinder(const HostReadings& readings) {
        for (const GpuReading& gpu : readings.gpus) {
            if (gpu.uuid) by_uuid_.emplace(*gpu.uuid, gpu.index);
        }
        // The minimal pair brings no UUIDs; with one GPU there is no doubt.
        if (readings.gpus.size() == 1) only_ = readings.gpus.front().index;
    }

    int index_of(const std::optional<std::string>& uuid) const {
        if (uuid) {
            if (const auto found = by_uuid_.find(*uuid); found != by_uuid_.end())
                return found->second;
        }
        return only_;
    }

private:
    std::unordered_map<std::string, int> by_uuid_;
    int only_ = -1;
};

}  // namespace

std::vector<Holder> find_holders(const HostReadings& readings) {
    std::unordered_map<std::int64_t, const ProcessOwner*> owners;
    for (const ProcessOwner& owner : readings.owners) owners.emplace(owner.pid, &owner);
    const GpuFinder gpus(readings);
    std::vector<Holder> holders;
    for (const ProcessReading& process : readings.processes) {
        const auto known = owners.find(process.pid);
        const ProcessOwner* owner = known == owners.end() ? nullptr : known->second;
        holders.push_back(
            {&process, owner, role_of(process, owner), gpus.index_of(process.gpu_uuid)});
    }
    return holders;
}

std::vector<int> find_hidden(const HostReadings& readings) {
    const GpuFinder gpus(readings);
    std::vector<int> indices;
    for (const auto& uuid : readings.hidden_process_gpus) indices.push_back(gpus.index_of(uuid));
    return indices;
}

}  // namespace gpumuster
