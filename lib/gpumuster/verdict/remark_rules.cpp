#include "gpumuster/verdict/remark_rules.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "gpumuster/verdict/catalogue.hpp"
#include "gpumuster/verdict/judgement.hpp"
#include "gpumuster/verdict/verdict.hpp"

namespace gpumuster {
namespace {

// In the order of RemarkKind.
constexpr std::array<std::string_view, 3> codes{
    "hostkey.unverified",
    "hostkey.added",
    "hostkey.not_saved",
};
static_assert(static_cast<std::size_t>(RemarkKind::host_key_not_saved) + 1 == codes.size());

Finding finding_of(const Remark& remark) {
    const FindingKind& kind = finding_kind(codes.at(static_cast<std::size_t>(remark.kind)));
    const HopRef& hop = remark.hop;
    Finding finding;
    finding.code = std::string(kind.code);
    finding.severity = kind.severity;
    finding.subject = hop_subject(hop);
    finding.message = remark.message;
    finding.next_step = filled_in(kind.next_step, "{ssh}",
                                  hop.ssh_arguments.empty() ? hop.name : hop.ssh_arguments);
    return finding;
}

}  // namespace

bool is_of_remark(std::string_view code) {
    return std::ranges::find(codes, code) != codes.end();
}

void add_remarks(HostVerdict& verdict, std::span<const Remark> remarks) {
    for (const Remark& remark : remarks) verdict.findings.push_back(finding_of(remark));
    put_in_order(verdict.findings);
}

}  // namespace gpumuster
