#include "gpumuster/report/summary_line.hpp"

#include <string_view>

#include <fmt/format.h>

#include "gpumuster/base/units.hpp"

namespace gpumuster {
namespace {

std::string part_of(std::size_t some, std::size_t all, std::string_view one, std::string_view many,
                    std::string_view state) {
    if (all == 0) return fmt::format("no {} seen", many);
    return fmt::format("{} of {} {} {}", some, all, all == 1 ? one : many, state);
}

std::string time_of(const FleetReport& report) {
    const std::string elapsed = format_duration(report.elapsed);
    if (report.interrupted) return "interrupted after " + elapsed;
    if (report.out_of_time) return "out of time after " + elapsed;
    return elapsed;
}

}  // namespace

std::string summary_line(const FleetReport& report) {
    const Summary summary = summarise(report);
    std::string line = part_of(summary.by_verdict[static_cast<std::size_t>(Verdict::clean)],
                               summary.hosts, "host", "hosts", "clean");
    for (std::size_t i = 0; i < verdict_count; ++i) {
        const auto verdict = static_cast<Verdict>(i);
        if (verdict == Verdict::clean || summary.by_verdict[i] == 0) continue;
        line += fmt::format(" · {} {}", summary.by_verdict[i], verdict_name(verdict));
    }
    line += " · " + part_of(summary.gpus_free, summary.gpus, "GPU", "GPUs", "free");
    return line + " · " + time_of(report);
}

}  // namespace gpumuster
