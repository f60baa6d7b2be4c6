#include "gpumuster/verdict/verdict.hpp"

#include "support/catch.hpp"
#include "verdict/answers.hpp"

using namespace gpumuster;
using namespace gpumuster::test;

namespace {

std::string eight(const std::string& first, const std::string& others) {
    std::string out = "0, " + first + "\n";
    for (int i = 1; i < 8; ++i) out += std::to_string(i) + ", " + others + "\n";
    return out;
}

Answer eight_full(const std::string& first, const std::string& others) {
    Answer answer;
    answer.gpus = gpu_row(0, first);
    for (int i = 1; i < 8; ++i) answer.gpus += gpu_row(i, others);
    return answer;
}

}  // namespace

TEST_CASE("eight rows of 2 MiB are clean, with a warning when only memory was asked") {
    const HostVerdict minimal = verdict_of(plain(exited(eight("2 MiB", "2 MiB"))));
    CHECK(minimal.verdict == Verdict::clean);
    CHECK(codes(minimal) == Codes{"health.not_read"});
    CHECK(minimal.findings[0].severity == Severity::warning);
    CHECK(minimal.gpus.size() == 8);

    const HostVerdict full = verdict_of(eight_full("2 MiB", "2 MiB").readings());
    CHECK(full.verdict == Verdict::clean);
    CHECK(full.findings.empty());
    REQUIRE(full.gpus.size() == 8);
    for (const GpuVerdict& gpu : full.gpus) CHECK(gpu.verdict == Verdict::clean);
}

TEST_CASE("1523 MiB on GPU 0 and 3 MiB elsewhere hold the host, and GPU 0 is named") {
    for (const HostReadings& readings :
         {plain(exited(eight("1523 MiB", "3 MiB"))), eight_full("1523 MiB", "3 MiB").readings()}) {
        const HostVerdict verdict = verdict_of(readings);
        CHECK(verdict.verdict == Verdict::held);
        REQUIRE(verdict.gpus.size() == 8);
        CHECK(verdict.gpus[0].verdict == Verdict::held);
        for (std::size_t i = 1; i < 8; ++i) CHECK(verdict.gpus[i].verdict == Verdict::clean);
        const Finding* held = find(verdict, "gpu.memory.held");
        REQUIRE(held != nullptr);
        CHECK(held->subject == "GPU 0");
        CHECK_THAT(held->message,
                   ContainsSubstring("1523 MiB in use above the idle floor of 100 MiB, and "));
    }
    CHECK(
        find(verdict_of(eight_full("1523 MiB", "3 MiB").readings()), "gpu.memory.held")->message ==
        "1523 MiB in use above the idle floor of 100 MiB, and nvidia-smi lists "
        "no process here");
}

TEST_CASE("rows of 0 MiB are clean") {
    CHECK(verdict_of(plain(exited(eight("0 MiB", "0 MiB")))).verdict == Verdict::clean);
    CHECK(verdict_of(eight_full("0 MiB", "0 MiB").readings()).verdict == Verdict::clean);
}

TEST_CASE("the idle floor itself is idle, one MiB more is not") {
    CHECK(verdict_of(plain(exited("0, 100 MiB\n"))).verdict == Verdict::clean);
    CHECK(verdict_of(plain(exited("0, 101 MiB\n"))).verdict == Verdict::held);
    Thresholds high;
    high.idle_memory_mib = 2000;
    CHECK(judge(plain(exited("0, 1523 MiB\n")), {}, high, "h").verdict == Verdict::clean);
}

TEST_CASE("a GPU that requires a reset is broken although 0 MiB are in use") {
    Answer answer;
    answer.gpus = gpu_row(0, "0 MiB") + gpu_row(1, "0 MiB", "[GPU requires reset]",
                                                "NVIDIA H100 80GB HBM3", "[GPU requires reset]");
    const HostVerdict verdict = verdict_of(answer.readings());
    CHECK(verdict.verdict == Verdict::broken);
    CHECK(verdict.gpus[0].verdict == Verdict::clean);
    CHECK(verdict.gpus[1].verdict == Verdict::broken);
    CHECK(codes(verdict) == Codes{"gpu.needs_reset"});
    CHECK(verdict.findings[0].subject == "GPU 1");
    CHECK(verdict.findings[0].message == "the driver says \"[GPU requires reset]\"");
}

TEST_CASE("errors come first, then warnings, then info; the host before its GPUs by index") {
    Answer answer;
    answer.gpus = gpu_row(0, "0 MiB", "[N/A]") + gpu_row(2, "0 MiB") + gpu_row(3, "900 MiB");
    answer.processes = "GPU-2, 50, nv-hostengine, 20 MiB\n";
    answer.gpus_err = "WARNING: infoROM is corrupted at gpu 0000:12:00.0\n";
    Expectations expect;
    expect.gpus = 8;
    const HostVerdict verdict = verdict_of(answer.readings(), expect);
    CHECK(codes(verdict) == Codes{"host.gpu_count", "gpu.index_gap", "gpu.memory.held",
                                  "gpu.inforom", "gpu.mig", "gpu.infrastructure"});
    CHECK(verdict.verdict == Verdict::broken);
}

TEST_CASE("the name of the host stands in next steps") {
    const HostVerdict verdict = verdict_of(plain(exited("", 127, "nvidia-smi: not found\n")));
    CHECK_THAT(verdict.findings.at(0).next_step, ContainsSubstring("on node57"));
    CHECK(verdict.findings.at(0).next_step.find('{') == std::string::npos);
}

TEST_CASE("a failure is unreachable with its own code and next step") {
    const Failure failure =
        make_failure(FailureKind::hostkey_changed, {0, "edge7"}, "the key of edge7 has changed");
    const HostVerdict verdict = judge(failure);
    CHECK(verdict.verdict == Verdict::unreachable);
    CHECK(verdict.gpus.empty());
    REQUIRE(verdict.findings.size() == 1);
    CHECK(verdict.findings[0].code == "hostkey.changed");
    CHECK(verdict.findings[0].severity == Severity::error);
    CHECK(verdict.findings[0].subject == "host");
    CHECK(verdict.findings[0].message == "the key of edge7 has changed");
    CHECK(verdict.findings[0].next_step == failure.next_step);
}

TEST_CASE("the finding of a failure at a jump host names that") {
    const HopRef second{.index = 2, .name = "inner\x1b[31m"};
    const HostVerdict verdict = judge(make_failure(FailureKind::auth_denied, second, "no key"));
    REQUIRE(verdict.findings.size() == 1);
    CHECK(verdict.findings[0].subject == "hop inner\\x1b[31m");
}

TEST_CASE("verdicts have names and classes") {
    CHECK(verdict_name(Verdict::clean) == "clean");
    CHECK(verdict_name(Verdict::unreachable) == "unreachable");
    CHECK(severity_name(Severity::warning) == "warning");
    CHECK(verdict_class(Verdict::clean) == VerdictClass::clean);
    CHECK(verdict_class(Verdict::unknown) == VerdictClass::not_known);
    CHECK(verdict_class(Verdict::unreachable) == VerdictClass::not_known);
    for (const Verdict bad : {Verdict::busy, Verdict::held, Verdict::stale, Verdict::degraded,
                              Verdict::broken, Verdict::hung})
        CHECK(verdict_class(bad) == VerdictClass::not_clean);
}

TEST_CASE("readings that never came are never clean") {
    HostReadings nothing;
    for (const Ending ending : {Ending::exited, Ending::signalled, Ending::deadline, Ending::capped,
                                Ending::lost, Ending::cancelled}) {
        nothing.ending = ending;
        CHECK(verdict_of(nothing).verdict > Verdict::clean);
        CHECK_FALSE(verdict_of(nothing).findings.empty());
    }
}
