#include "gpumuster/transport/ssh/open_failure.hpp"

#include <string_view>

#include <fmt/format.h>

#include "gpumuster/base/safe_text.hpp"
#include "gpumuster/base/units.hpp"

namespace gpumuster {
namespace {

// RFC 4254 §5.1
constexpr std::string_view administratively_prohibited = "error (1)";

// What sshd says where its socket() or connect() fails at once.
constexpr std::string_view no_reason = "open failed";

std::string reason_in(const std::string& text) {
    const std::size_t at = text.find(") ");
    return at == std::string::npos ? text : text.substr(at + 2);
}

bool says(const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
}

FailureKind kind_of(const std::string& reason) {
    if (reason == no_reason) return FailureKind::connect_no_route;
    if (says(reason, "refused")) return FailureKind::connect_refused;
    if (says(reason, "timed out")) return FailureKind::connect_timeout;
    if (says(reason, "No route") || says(reason, "unreachable")) {
        return FailureKind::connect_no_route;
    }
    if (says(reason, "not known") || says(reason, "No address")) {
        return FailureKind::resolve_not_found;
    }
    if (says(reason, "name resolution")) return FailureKind::resolve_failed;
    return FailureKind::connect_failed;
}

}  // namespace

Failure refused_opening(const std::string& text, const HopRef& hop, const HopRef& target,
                        const std::string& address, std::uint16_t port) {
    const std::string reason = reason_in(text);
    if (says(text, administratively_prohibited)) {
        return make_failure(FailureKind::hop_forwarding_forbidden, hop,
                            fmt::format("{} forwards no connection there", hop.name));
    }
    if (says(text, "error (4)")) {
        return make_failure(FailureKind::hop_no_channel, hop,
                            fmt::format("{} opens no further connection", hop.name));
    }
    const std::string said =
        reason == no_reason ? "no way there, or no descriptor left" : quote_line(reason);
    Failure failure =
        make_failure(kind_of(reason), target,
                     fmt::format("{} port {} as seen from {}: {}", address, port, hop.name, said));
    const std::string_view what = failure.kind == FailureKind::connect_no_route
                                      ? "check the network between the two"
                                      : "check it from there";
    failure.next_step =
        fmt::format("{}: ssh {} and then: ssh -p {} {}", what, hop.ssh_arguments, port, address);
    return failure;
}

Failure unanswered_opening(const HopRef& hop, const HopRef& target, const std::string& address,
                           std::uint16_t port, std::chrono::milliseconds budget) {
    Failure failure = make_failure(FailureKind::connect_timeout, target,
                                   fmt::format("{} port {} does not answer {} within {}", address,
                                               port, hop.name, format_duration(budget)));
    failure.next_step =
        fmt::format("check it from there: ssh {} and then: ping {}", hop.ssh_arguments, address);
    return failure;
}

}  // namespace gpumuster
