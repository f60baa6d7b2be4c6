#include "gpumuster/verdict/process_rules.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include <fmt/format.h>

#include "gpumuster/base/safe_text.hpp"
#include "gpumuster/base/units.hpp"
#include "gpumuster/verdict/known_programs.hpp"
#include "gpumuster/verdict/sight.hpp"

namespace gpumuster {
namespace {

// Processes that are told as one.
struct Job {
    HolderRole role = HolderRole::user;
    std::string user;
    std::string command;  // of the first
    std::set<std::int64_t> pids;
    std::set<int> gpus;
    std::optional<std::int64_t> oldest_seconds;
    std::optional<std::int64_t> least_mib, most_mib;
};

std::string command_of(const Holder& holder) {
    if (holder.owner != nullptr) return holder.owner->command;
    return holder.process->name.value_or("");
}

bool is_rank_option(std::string_view word) {
    return word.starts_with("--local_rank=") || word.starts_with("--local-rank=") ||
           word.starts_with("--rank=");
}

void add_to_job(Job& job, const Holder& holder) {
    job.pids.insert(holder.process->pid);
    job.gpus.insert(holder.gpu_index);
    if (const auto mib = holder.process->memory_used_mib) {
        job.least_mib = std::min(job.least_mib.value_or(*mib), *mib);
        job.most_mib = std::max(job.most_mib.value_or(*mib), *mib);
    }
    if (holder.owner != nullptr && holder.owner->age_seconds) {
        const std::int64_t age = *holder.owner->age_seconds;
        job.oldest_seconds = std::max(job.oldest_seconds.value_or(age), age);
    }
}

// In the order in which each job first appears. Processes on a GPU that did not answer are not
// mixed with those that are placed.
std::vector<Job> group_jobs(const std::vector<Holder>& holders) {
    std::vector<Job> jobs;
    std::map<std::tuple<HolderRole, std::string, std::string, bool>, std::size_t> places;
    for (const Holder& holder : holders) {
        if (holder.role == HolderRole::ended) continue;
        const std::string user = holder.owner != nullptr ? holder.owner->user : std::string{};
        const std::string command = command_of(holder);
        const auto [place, is_new] = places.try_emplace(
            {holder.role, user, job_of(command), holder.gpu_index >= 0}, jobs.size());
        if (is_new) jobs.push_back({holder.role, user, quote_line(command, 80)});
        add_to_job(jobs[place->second], holder);
    }
    return jobs;
}

std::string pid_text(const std::set<std::int64_t>& pids) {
    constexpr std::size_t most_named = 4;
    const std::size_t named = pids.size() > most_named ? most_named - 1 : pids.size();
    std::string text = "pid ";
    auto pid = pids.begin();
    for (std::size_t i = 0; i < named; ++i, ++pid)
        text += (i == 0 ? "" : ", ") + std::to_string(*pid);
    if (named < pids.size()) text += fmt::format(" and {} more", pids.size() - named);
    return text;
}

std::string detail_text(const Job& job) {
    std::string text;
    if (job.least_mib) {
        text += ", " + mib_text(*job.least_mib, *job.most_mib);
        if (job.pids.size() > 1 || job.gpus.size() > 1) text += " each";
    }
    if (job.oldest_seconds)
        text += ", running for " + format_duration(std::chrono::seconds{*job.oldest_seconds});
    return text;
}

std::string used_by_text(const Job& job) {
    const std::string who = job.user.empty() ? std::string{} : job.user + ": ";
    return fmt::format("used by {}{} ({}){}", who, job.command, pid_text(job.pids),
                       detail_text(job));
}

void report_job(const Job& job, const Sight& sight, Judgement& judgement) {
    const std::vector<int> gpus(job.gpus.begin(), job.gpus.end());
    const bool is_placed = gpus.front() >= 0;
    const auto report = [&](std::string_view code, std::string message,
                            std::string_view next_step = {}) {
        if (is_placed) return judgement.find_gpus(code, gpus, std::move(message), next_step);
        judgement.find(code, "host", std::move(message), next_step);
    };
    if (job.role == HolderRole::user) return report("gpu.process", used_by_text(job));
    if (job.role == HolderRole::infrastructure)
        return report("gpu.infrastructure",
                      fmt::format("{} ({}) is listed{}; it is not counted as work",
                                  program_of(job.command), pid_text(job.pids), detail_text(job)));
    if (job.role == HolderRole::unseen)
        report("gpu.process_hidden",
               fmt::format("{} uses it{}, but cannot be named from here", pid_text(job.pids),
                           detail_text(job)),
               sight.next_step);
}

void report_hidden(const HostReadings& readings, const Sight& sight, Judgement& judgement) {
    std::set<int> indices;
    for (const int index : find_hidden(readings)) indices.insert(index);
    constexpr const char* message = "a process uses it, but its pid is hidden from this login";
    if (indices.erase(-1) > 0)
        judgement.find("gpu.process_hidden", "host", message, sight.next_step);
    if (!indices.empty())
        judgement.find_gpus("gpu.process_hidden", {indices.begin(), indices.end()}, message,
                            sight.next_step);
}

}  // namespace

std::string job_of(std::string_view command) {
    std::string job;
    bool is_first_word = true;
    while (!command.empty()) {
        const std::string_view word = command.substr(0, command.find(' '));
        command.remove_prefix(std::min(word.size() + 1, command.size()));
        if (is_rank_option(word)) continue;
        const bool is_worker_title = is_first_word && word.find("::") != std::string_view::npos;
        for (const char c : word) {
            if (!is_worker_title || c < '0' || c > '9') job += c;
        }
        job += ' ';
        is_first_word = false;
    }
    return job;
}

void judge_processes(const HostReadings& readings, const std::vector<Holder>& holders,
                     Judgement& judgement) {
    const Sight sight = sight_of(readings);
    for (const Job& job : group_jobs(holders)) report_job(job, sight, judgement);
    report_hidden(readings, sight, judgement);
}

}  // namespace gpumuster
