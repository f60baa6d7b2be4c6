#include "gpumuster/verdict/gpu_use_rules.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "gpumuster/probe/csv.hpp"
#include "gpumuster/verdict/holders.hpp"
#include "gpumuster/verdict/known_programs.hpp"
#include "gpumuster/verdict/process_rules.hpp"
#include "gpumuster/verdict/sight.hpp"

namespace gpumuster {
namespace {

// A desktop takes 200-1000 MiB, its compositor included.
constexpr std::int64_t display_share_mib = 1000;

// What the process list says of one GPU, beside its users.
struct Listed {
    bool has_display = false;
    bool has_ended = false;
    std::int64_t infrastructure_mib = 0;
};

// GPUs about which the same is found, with the spread of the number that shows it.
struct Group {
    std::vector<int> gpus;
    std::int64_t least = 0, most = 0;

    void add(int index, std::int64_t value) {
        least = gpus.empty() ? value : std::min(least, value);
        most = gpus.empty() ? value : std::max(most, value);
        gpus.push_back(index);
    }
};

const std::string* token_of(const GpuReading& gpu, std::string_view field) {
    for (const MissingField& missing : gpu.missing) {
        if (missing.field == field) return &missing.token;
    }
    return nullptr;
}

bool is_without_sensor(const std::string* token) {
    return token != nullptr && (contains_ignoring_case(*token, "n/a") ||
                                contains_ignoring_case(*token, "not supported"));
}

class UseJudge {
public:
    UseJudge(const HostReadings& readings, const Thresholds& thresholds, Judgement& judgement)
        : readings_{readings}, thresholds_{thresholds}, judgement_{judgement} {}

    void judge() {
        const std::vector<Holder> holders = find_holders(readings_);
        for (const Holder& holder : holders) note(holder);
        judge_processes(readings_, holders, judgement_);
        for (const GpuReading& gpu : readings_.gpus) {
            // Users named, holders hidden or a fault: the rest would only repeat it.
            if (judgement_.verdict_of(gpu.index) >= Verdict::busy) continue;
            judge_memory(gpu, listed_[gpu.index]);
            judge_work(gpu);
        }
        report();
    }

private:
    void note(const Holder& holder) {
        Listed& listed = listed_[holder.gpu_index];
        if (holder.role == HolderRole::user && holder.gpu_index < 0) has_unplaced_user_ = true;
        if (holder.role == HolderRole::display) listed.has_display = true;
        if (holder.role == HolderRole::ended) listed.has_ended = true;
        if (holder.role == HolderRole::infrastructure)
            listed.infrastructure_mib += holder.process->memory_used_mib.value_or(0);
    }

    void judge_memory(const GpuReading& gpu, const Listed& listed) {
        if (!gpu.memory_used_mib) return judge_missing_memory(gpu);
        const std::int64_t used = *gpu.memory_used_mib;
        const bool is_idle = used - listed.infrastructure_mib <= thresholds_.idle_memory_mib;
        if (listed.has_display && used <= display_share_mib) {
            display_.add(gpu.index, used);
        } else if (is_idle) {
            return;
        } else if (listed.has_display) {
            graphics_.add(gpu.index, used);
        } else if (gpu.name && has_numa_memory(*gpu.name)) {
            numa_.add(gpu.index, used);
        } else if (has_unplaced_user_) {
            unplaced_.add(gpu.index, used);
        } else {
            (listed.has_ended ? held_after_end_ : held_).add(gpu.index, used);
        }
    }

    // Alone the name tells a board that has no memory of its own from one that hides the number.
    void judge_missing_memory(const GpuReading& gpu) {
        const bool is_unified = gpu.name && has_unified_memory(*gpu.name) &&
                                is_without_sensor(token_of(gpu, "memory_used_mib")) &&
                                readings_.process_query.outcome == QueryOutcome::answered;
        (is_unified ? unified_ : no_memory_).add(gpu.index, 0);
    }

    void judge_work(const GpuReading& gpu) {
        if (!gpu.utilization_percent) {
            const bool is_split = is_without_sensor(token_of(gpu, "utilization_percent")) &&
                                  gpu.temperature_celsius && gpu.name && can_be_split(*gpu.name);
            if (is_split) split_.add(gpu.index, 0);
            return;
        }
        const int percent = *gpu.utilization_percent;
        if (percent < thresholds_.idle_utilization_percent || is_held(gpu.index)) return;
        work_.add(gpu.index, percent);
    }

    bool is_held(int index) const {
        for (const Group* group : {&held_, &held_after_end_, &graphics_, &unplaced_}) {
            if (!group->gpus.empty() && group->gpus.back() == index) return true;
        }
        return false;
    }

    void find(std::string_view code, const Group& group, std::string message,
              std::string_view next_step = {}) {
        if (!group.gpus.empty())
            judgement_.find_gpus(code, group.gpus, std::move(message), next_step);
    }

    void report() {
        report_held();
        report_unknown();
        find("gpu.display", display_,
             fmt::format("{} in use with a display server on it",
                         mib_text(display_.least, display_.most)));
        find("gpu.memory.unified", unified_,
             "the driver gives no memory numbers, as on boards that share the system's memory");
        find("gpu.mig", split_, "utilisation is [N/A], as with MIG on");
    }

    std::string above_floor(const Group& group) const {
        return fmt::format("{} in use above the idle floor of {} MiB",
                           mib_text(group.least, group.most), thresholds_.idle_memory_mib);
    }

    void report_held() {
        const Sight sight = sight_of(readings_);
        find("gpu.memory.held", held_, fmt::format("{}, and {}", above_floor(held_), sight.reason),
             sight.next_step);
        find("gpu.memory.held", held_after_end_,
             above_floor(held_after_end_) + ", and the only process listed on it has ended");
        find("gpu.process", unplaced_,
             above_floor(unplaced_) +
                 "; processes are listed, but without UUIDs they cannot be placed on a GPU");
        find("gpu.graphics", graphics_,
             fmt::format("{} in use, more than the {} MiB of a display server's share",
                         mib_text(graphics_.least, graphics_.most), display_share_mib));
    }

    void report_unknown() {
        find("gpu.memory.numa", numa_,
             above_floor(numa_) + ", which may be page cache: GPU memory is system memory here");
        find("gpu.memory.unknown", no_memory_, "used memory came as " + memory_tokens());
        const Sight sight = sight_of(readings_);
        const std::string percent = work_.least == work_.most
                                        ? fmt::format("{}", work_.least)
                                        : fmt::format("{}-{}", work_.least, work_.most);
        find("gpu.work_unseen", work_,
             fmt::format("utilisation was {} % in the moment before, with little memory in use, "
                         "and {}",
                         percent, sight.reason));
    }

    std::string memory_tokens() const {
        for (const GpuReading& gpu : readings_.gpus) {
            if (const std::string* token = token_of(gpu, "memory_used_mib"))
                return fmt::format("\"{}\"", *token);
        }
        return "nothing";
    }

    const HostReadings& readings_;
    const Thresholds& thresholds_;
    Judgement& judgement_;
    std::map<int, Listed> listed_;
    bool has_unplaced_user_ = false;
    Group held_, held_after_end_, unplaced_, graphics_, display_, numa_, no_memory_, unified_,
        split_, work_;
};

}  // namespace

void judge_use(const HostReadings& readings, const Thresholds& thresholds, Judgement& judgement) {
    UseJudge(readings, thresholds, judgement).judge();
}

}  // namespace gpumuster
