#include "gpumuster/probe/stuck_section.hpp"

#include "gpumuster/probe/csv.hpp"

namespace gpumuster {
namespace {

// Of /proc/PID/stat, field 3 is the state and field 22 the start in ticks, 100 a second in every
// Linux user space. The age is the distance to our own start: /proc/uptime is another clock inside
// containers with lxcfs. A cold start on eight boards without persistence takes 30 s, in state D
// for much of it, so that only more than 60 s is stuck.
constexpr const char* script =
    "r=0;read -r x </proc/self/stat;set -- $x;z=${22};"
    "for f in $(grep -lsx nvidia-smi /proc/[0-9]*/comm);do p=${f%/comm};"
    "read -r x <$p/stat&&set -- $x&&[ \"$3\" = D ]&&a=$(((z-${22})/100))&&[ $a -gt 60 ]&&s=1&&"
    "echo \"${p##*/} $a\";done";

void read_stuck(const Section& section, HostReadings& readings) {
    for (const Line& line : split_lines(section.out)) {
        const std::string_view text = trim(line.text);
        const std::size_t blank = text.find(' ');
        if (blank == std::string_view::npos || !line.is_finished) continue;
        const auto pid = parse_number(text.substr(0, blank), 1, 2'147'483'647);
        const auto age = parse_number(text.substr(blank + 1), 0, 4'000'000'000);
        if (pid) readings.stuck_queries.push_back({*pid, age});
    }
}

}  // namespace

SectionKind stuck_section() {
    return {"stuck", "", script, read_stuck};
}

}  // namespace gpumuster
