#include "gpumuster/verdict/remark_rules.hpp"

#include "support/catch.hpp"
#include "verdict/answers.hpp"

using namespace gpumuster;
using namespace gpumuster::test;

namespace {

Remark remark(RemarkKind kind, HopRef hop) {
    return {kind, std::move(hop), "the key of gpu1 (ssh-ed25519 SHA256:abc) was new"};
}

HopRef target() {
    return {.index = 0,
            .name = "gpu1",
            .address = "203.0.113.7",
            .ssh_arguments = "-J ops@door root@203.0.113.7"};
}

HostVerdict clean_with(std::vector<Remark> remarks) {
    HostVerdict verdict;
    verdict.verdict = Verdict::clean;
    add_remarks(verdict, remarks);
    return verdict;
}

}  // namespace

TEST_CASE("an unverified key is a warning with its evidence and the command that asks about it") {
    const HostVerdict verdict = clean_with({remark(RemarkKind::host_key_unverified, target())});
    CHECK(verdict.verdict == Verdict::clean);
    REQUIRE(codes(verdict) == Codes{"hostkey.unverified"});
    const Finding& finding = verdict.findings[0];
    CHECK(finding.severity == Severity::warning);
    CHECK(finding.subject == "host");
    CHECK(finding.message == "the key of gpu1 (ssh-ed25519 SHA256:abc) was new");
    CHECK(finding.next_step ==
          "compare the fingerprint with the host's own, then: "
          "ssh -o StrictHostKeyChecking=ask -J ops@door root@203.0.113.7");
}

TEST_CASE("an added key is an info, one that could not be saved a warning") {
    const HostVerdict verdict = clean_with({remark(RemarkKind::host_key_added, target()),
                                            remark(RemarkKind::host_key_not_saved, target())});
    CHECK(codes(verdict) == Codes{"hostkey.not_saved", "hostkey.added"});
    CHECK(verdict.findings[0].severity == Severity::warning);
    CHECK(verdict.findings[1].severity == Severity::info);
    CHECK(verdict.verdict == Verdict::clean);
}

TEST_CASE("a remark about a jump host names it, and what leads to it") {
    const HostVerdict verdict =
        clean_with({remark(RemarkKind::host_key_unverified, {.index = 1, .name = "door"})});
    CHECK(verdict.findings.at(0).subject == "hop door");
    CHECK_THAT(verdict.findings[0].next_step, ContainsSubstring("=ask door"));
}

TEST_CASE("remarks stand behind errors and leave the verdict as it is") {
    HostVerdict failed = judge(make_failure(FailureKind::channel_refused, target(), "no session"));
    const std::vector<Remark> remarks{remark(RemarkKind::host_key_unverified, target())};
    add_remarks(failed, remarks);
    CHECK(codes(failed) == Codes{"channel.refused", "hostkey.unverified"});
    CHECK(failed.verdict == Verdict::unreachable);

    HostVerdict untouched = failed;
    add_remarks(untouched, {});
    CHECK(codes(untouched) == codes(failed));
}

TEST_CASE("the codes of remarks are known from those of rules") {
    CHECK(is_of_remark("hostkey.unverified"));
    CHECK(is_of_remark("hostkey.added"));
    CHECK(is_of_remark("hostkey.not_saved"));
    CHECK_FALSE(is_of_remark("hostkey.unknown"));
    CHECK_FALSE(is_of_remark("gpu.process"));
}
