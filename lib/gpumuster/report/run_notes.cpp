#include "gpumuster/report/run_notes.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include <fmt/format.h>

#include "gpumuster/base/safe_text.hpp"

namespace gpumuster {
namespace {

constexpr std::size_t longest_note = 512;

bool was_moved_to_openssh(const HostReport& report) {
    const bool was_tried = !report.failure || report.failure->stage != Stage::not_started;
    const bool was_asked_for = report.host.settings.transport == TransportChoice::openssh;
    return report.route.transport == "openssh" && was_tried && !was_asked_for;
}

struct Moved {
    std::string reason;
    std::size_t hosts = 0;
};

std::vector<Moved> moved_to_openssh(const FleetReport& report) {
    std::vector<Moved> all;
    for (const HostReport& host : report.hosts) {
        if (!was_moved_to_openssh(host)) continue;
        auto same = std::ranges::find(all, host.route.reason, &Moved::reason);
        if (same == all.end()) same = all.insert(same, {host.route.reason, 0});
        ++same->hosts;
    }
    return all;
}

std::string note_of(const Moved& moved) {
    const std::string reason = moved.reason.empty() ? "" : ": " + moved.reason;
    return fmt::format("{} {} went through the system ssh{}", moved.hosts,
                       moved.hosts == 1 ? "host" : "hosts", reason);
}

}  // namespace

std::vector<std::string> run_notes(const FleetReport& report) {
    std::vector<std::string> notes;
    for (const std::string& note : report.notes) notes.push_back(quote_line(note, longest_note));
    for (const Moved& moved : moved_to_openssh(report)) {
        notes.push_back(quote_line(note_of(moved), longest_note));
    }
    return notes;
}

}  // namespace gpumuster
