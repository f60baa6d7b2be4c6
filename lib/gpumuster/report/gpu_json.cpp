#include "gpumuster/report/gpu_json.hpp"

#include <map>
#include <set>
#include <utility>

#include "gpumuster/report/host_facts.hpp"

namespace gpumuster {
namespace {

// Owners by pid, and which GPU each process is on.
class Processes {
public:
    explicit Processes(const HostReadings& readings) : readings_(readings) {
        for (const ProcessOwner& owner : readings.owners) owners_.emplace(owner.pid, &owner);
        for (const GpuReading& gpu : readings.gpus) {
            if (gpu.uuid) known_uuids_.insert(*gpu.uuid);
        }
    }

    Json on(const GpuReading& gpu) const {
        Json list = Json::array();
        if (!gpu.uuid) return list;
        for (const ProcessReading& process : readings_.processes) {
            if (process.gpu_uuid == gpu.uuid) list.push_back(item_of(process));
        }
        return list;
    }

    Json unplaced() const {
        Json list = Json::array();
        for (const ProcessReading& process : readings_.processes) {
            const bool is_placed = process.gpu_uuid && known_uuids_.contains(*process.gpu_uuid);
            if (!is_placed) list.push_back(item_of(process));
        }
        return list;
    }

private:
    Json item_of(const ProcessReading& process) const {
        Json item;
        item["pid"] = process.pid;
        item["name"] = json_text_if(process.name);
        item["memory_used_mib"] = json_number(process.memory_used_mib);
        const auto known = owners_.find(process.pid);
        const ProcessOwner* owner = known == owners_.end() ? nullptr : known->second;
        item["user"] = owner != nullptr ? json_text(owner->user) : Json();
        item["state"] = owner != nullptr ? json_text(owner->state) : Json();
        item["age_seconds"] = owner != nullptr ? json_number(owner->age_seconds) : Json();
        item["command"] = owner != nullptr ? json_text(owner->command) : Json();
        return item;
    }

    const HostReadings& readings_;
    std::map<std::int64_t, const ProcessOwner*> owners_;
    std::set<std::string> known_uuids_;
};

Json missing_of(const GpuReading& gpu) {
    Json item = Json::object();
    for (const MissingField& field : gpu.missing) item[field.field] = json_text(field.token);
    return item;
}

Json gpu_item(const GpuReading& gpu, Verdict verdict, const Processes& processes) {
    Json item;
    item["index"] = gpu.index;
    item["uuid"] = json_text_if(gpu.uuid);
    item["name"] = json_text_if(gpu.name);
    item["pci_bus_id"] = json_text_if(gpu.pci_bus_id);
    item["verdict"] = verdict_name(verdict);
    item["memory_used_mib"] = json_number(gpu.memory_used_mib);
    item["memory_total_mib"] = json_number(gpu.memory_total_mib);
    item["utilization_percent"] = json_number(gpu.utilization_percent);
    item["temperature_celsius"] = json_number(gpu.temperature_celsius);
    item["pstate"] = json_text_if(gpu.pstate);
    item["missing"] = missing_of(gpu);
    item["processes"] = processes.on(gpu);
    return item;
}

}  // namespace

Json gpus_json(const HostReport& report) {
    Json list = Json::array();
    if (!report.readings) return list;
    const Processes processes(*report.readings);
    const auto gpus = gpus_of(report);
    for (std::size_t i = 0; i < gpus.size(); ++i) {
        list.push_back(gpu_item(gpus[i], gpu_verdict(report, i), processes));
    }
    return list;
}

Json unplaced_processes_json(const HostReadings& readings) {
    return Processes(readings).unplaced();
}

}  // namespace gpumuster
