#include "gpumuster/probe/session_section.hpp"

#include "gpumuster/probe/csv.hpp"

namespace gpumuster {
namespace {

// PROC_PID_INIT_INO of the kernel: the number of the initial PID namespace on every Linux.
constexpr std::string_view initial_namespace = "pid:[4026531836]";

void read_session(const Section& section, HostReadings& readings) {
    for (const Line& line : split_lines(section.out)) {
        const std::string_view text = trim(line.text);
        if (const auto uid = parse_number(text, 0, 2'147'483'647)) {
            readings.effective_uid = static_cast<int>(*uid);
        } else if (text.starts_with("pid:[") && line.is_finished) {
            readings.initial_pid_namespace = text == initial_namespace;
        }
    }
}

}  // namespace

SectionKind session_section() {
    return {"session", "", "id -u;r=$?;readlink /proc/self/ns/pid", read_session};
}

}  // namespace gpumuster
