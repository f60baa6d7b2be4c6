#include "gpumuster/transport/ssh/greeting.hpp"

#include <algorithm>
#include <array>

#include "gpumuster/base/safe_text.hpp"

namespace gpumuster {
namespace {

// Lines may stand before the identification (RFC 4253 §4.2), so only what is known not to be SSH
// decides at once: web, mail and FTP servers, Redis, a TLS alert.
constexpr std::array<std::string_view, 7> foreign_starts{"HTTP/", "220 ", "220-",    "+OK",
                                                         "* OK",  "-ERR", "\x15\x03"};

bool contains(std::string_view line, std::string_view part) {
    return line.find(part) != std::string_view::npos;
}

GreetingKind kind_of(std::string_view line) {
    if (line.starts_with("SSH-")) return GreetingKind::ssh;
    if (contains(line, "Exceeded MaxStartups")) return GreetingKind::throttled;
    if (contains(line, "Not allowed at this time")) return GreetingKind::penalised;
    for (const std::string_view start : foreign_starts) {
        if (line.starts_with(start)) return GreetingKind::not_ssh;
    }
    return GreetingKind::incomplete;
}

}  // namespace

Greeting read_greeting(std::string_view bytes) {
    Greeting greeting;
    greeting.line = quote_line(bytes.substr(0, std::min(bytes.find('\n'), bytes.size())));
    const bool is_too_long = bytes.size() >= longest_greeting;
    while (!bytes.empty()) {
        const std::size_t end = std::min(bytes.find('\n'), bytes.size());
        const std::string_view line = bytes.substr(0, end);
        const GreetingKind kind = kind_of(line);
        if (kind != GreetingKind::incomplete) {
            greeting.kind = kind;
            greeting.line = quote_line(line);
            return greeting;
        }
        bytes.remove_prefix(std::min(end + 1, bytes.size()));
    }
    if (is_too_long) greeting.kind = GreetingKind::not_ssh;
    return greeting;
}

}  // namespace gpumuster
