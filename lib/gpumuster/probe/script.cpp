#include "gpumuster/probe/script.hpp"

#include <algorithm>

namespace gpumuster {
namespace {

// The marker stands in a variable, so that a shell that echoes its input does not print a frame.
// The first empty line closes what an rc file left unfinished.
constexpr const char* prelude_after_marker =
    "b(){ echo \"$m begin $1\";echo \"$m begin $1\" >&2;};"
    "e(){ echo;echo \"$m end $1 $2\";echo >&2;echo \"$m end $1 $2\" >&2;};"
    "echo;echo >&2;s=;";

// Old busybox has a timeout without -k, small systems have none.
std::string find_timeout(std::chrono::seconds bound) {
    return "t=;timeout -k 1 5 true >/dev/null 2>&1&&t=\"timeout -k 2 " +
           std::to_string(bound.count()) + "\";";
}

std::string framed(const SectionKind& section) {
    const std::string name(section.name);
    const std::string text = "b " + name + ";" + section.body + ";e " + name + " $r;";
    if (section.condition.empty()) return text;
    return "if " + std::string(section.condition) + ";then " + text + "fi;";
}

}  // namespace

std::string framed_script(const std::string& marker, std::chrono::seconds bound,
                          std::span<const SectionKind> sections) {
    std::string script = "LC_ALL=C;export LC_ALL;cd /;m=" + marker + ";" + prelude_after_marker;
    script += find_timeout(bound);
    for (const SectionKind& section : sections) script += framed(section);
    return script + "echo \"$m done\"";
}

std::chrono::seconds bound_on_target(std::chrono::milliseconds limit) {
    using std::chrono::seconds;
    const auto whole = std::chrono::duration_cast<seconds>(limit);
    return std::max(
        {whole - seconds{5}, std::chrono::duration_cast<seconds>(limit / 2), seconds{1}});
}

}  // namespace gpumuster
