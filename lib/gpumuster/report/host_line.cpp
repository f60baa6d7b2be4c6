#include "gpumuster/report/host_line.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "gpumuster/report/host_facts.hpp"
#include "gpumuster/report/memory_text.hpp"
#include "gpumuster/report/paint.hpp"

namespace gpumuster {
namespace {

constexpr std::string_view gap = "   ";

// "8 × H100 80GB HBM3", "7 of 8 × …", "8 GPUs" where the model is not known.
std::string gpus_and_model(const HostReport& report) {
    const auto models = short_models(report);
    if (models.size() > 1) return model_text(report);
    const int seen = static_cast<int>(gpus_of(report).size());
    const int expected = report.host.settings.expect.gpus.value_or(seen);
    std::string text = fmt::format("{}", seen);
    if (expected != seen) text += fmt::format(" of {}", expected);
    if (models.empty()) return text + (expected == 1 ? " GPU" : " GPUs");
    return text + " × " + *models.begin();
}

std::string memory_of(const HostReport& report) {
    const auto gpus = gpus_of(report);
    const std::string used = memory_text(gpus, report.thresholds.idle_memory_mib);
    if (used == "?") return "memory not known";
    const bool is_each =
        gpus.size() > 1 && used.find_first_not_of("0123456789") == std::string::npos;
    return used + (is_each ? " MiB each" : " MiB");
}

std::string idleness(const HostReport& report) {
    const std::size_t seen = gpus_of(report).size();
    std::size_t free = 0;
    for (std::size_t i = 0; i < seen; ++i) free += gpu_verdict(report, i) == Verdict::clean;
    if (free == seen) return seen == 1 ? "idle" : "all idle";
    return fmt::format("{} free", free);
}

}  // namespace

std::string host_line(const HostReport& report, Colour colour) {
    const Verdict verdict = report.verdict.verdict;
    std::string line = painted(verdict_name(verdict), verdict, colour);
    line += fmt::format("{}{}", gap, placed_name(report));
    const std::string note = host_note(report);
    if (note.empty()) {
        line += fmt::format("{}{}, {} ({})", gap, gpus_and_model(report), idleness(report),
                            memory_of(report));
        const std::string driver = driver_text(report);
        if (driver != "?") line += fmt::format("{}driver {}", gap, driver);
    } else {
        line += fmt::format("{}{}", gap, note);
    }
    const auto total = report.timings.total();
    return line + fmt::format("{}{}", gap, time_text(total, total));
}

}  // namespace gpumuster
