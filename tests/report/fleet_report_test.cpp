#include "gpumuster/report/fleet_report.hpp"

#include "report/samples.hpp"
#include "support/catch.hpp"

namespace gpumuster {
namespace {

using test::fleet_of;

HostReport host_of(Verdict verdict) {
    HostReport report;
    report.host.name = "node1";
    report.verdict.verdict = verdict;
    return report;
}

int status_of(const std::vector<Verdict>& verdicts) {
    std::vector<HostReport> hosts;
    for (const Verdict verdict : verdicts) hosts.push_back(host_of(verdict));
    return exit_status(fleet_of(hosts));
}

}  // namespace

TEST_CASE("the exit status is 0 when every host is clean") {
    CHECK(status_of({Verdict::clean}) == 0);
    CHECK(status_of({Verdict::clean, Verdict::clean}) == 0);
}

TEST_CASE("a host that something is against makes it 1, whatever else there is") {
    const auto verdict = GENERATE(Verdict::busy, Verdict::held, Verdict::stale, Verdict::degraded,
                                  Verdict::broken, Verdict::hung);
    CHECK(status_of({verdict}) == 1);
    CHECK(status_of({Verdict::clean, verdict, Verdict::clean}) == 1);
    CHECK(status_of({Verdict::unreachable, Verdict::unknown, verdict}) == 1);
}

TEST_CASE("hosts that are not known make it 2") {
    CHECK(status_of({Verdict::unknown}) == 2);
    CHECK(status_of({Verdict::clean, Verdict::unreachable}) == 2);
    CHECK(status_of({Verdict::unreachable, Verdict::unknown, Verdict::clean}) == 2);
}

TEST_CASE("an interrupted run is 130, whatever was found before") {
    const auto verdict = GENERATE(Verdict::clean, Verdict::busy, Verdict::unreachable);
    FleetReport report = fleet_of({host_of(verdict)});
    report.interrupted = true;
    CHECK(exit_status(report) == 130);
}

TEST_CASE("a run that is out of time is never 0") {
    FleetReport report = fleet_of({host_of(Verdict::clean)});
    report.out_of_time = true;
    CHECK(exit_status(report) == 2);
    report.hosts.push_back(host_of(Verdict::busy));
    CHECK(exit_status(report) == 1);
}

TEST_CASE("a report without hosts proves nothing") {
    CHECK(exit_status(fleet_of({})) == 2);
}

TEST_CASE("the summary counts hosts by verdict, and GPUs by their own") {
    const Summary summary = summarise(fleet_of({
        test::idle_node("node1"),
        test::answering("node2", test::h100s({1523, 3, 3, 3})),
        test::not_inspected("node3", FailureKind::connect_refused, "refused"),
        test::not_inspected("node4", FailureKind::connect_refused, "refused"),
    }));
    CHECK(summary.hosts == 4);
    CHECK(summary.by_verdict[static_cast<std::size_t>(Verdict::clean)] == 1);
    CHECK(summary.by_verdict[static_cast<std::size_t>(Verdict::busy)] == 1);
    CHECK(summary.by_verdict[static_cast<std::size_t>(Verdict::unreachable)] == 2);
    CHECK(summary.by_verdict[static_cast<std::size_t>(Verdict::hung)] == 0);
    CHECK(summary.gpus == 12);
    CHECK(summary.gpus_free == 11);
}

}  // namespace gpumuster
