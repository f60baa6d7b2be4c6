#include "gpumuster/probe/driver_section.hpp"
#include "gpumuster/probe/owners_section.hpp"
#include "gpumuster/probe/session_section.hpp"
#include "gpumuster/probe/stuck_section.hpp"
#include "support/catch.hpp"

using namespace gpumuster;

namespace {

HostReadings read(const SectionKind& kind, std::string out) {
    HostReadings readings;
    kind.read({std::string(kind.name), std::move(out), {}, 0}, readings);
    return readings;
}

}  // namespace

TEST_CASE("the session says who we are and where") {
    const HostReadings root = read(session_section(), "0\npid:[4026531836]\n");
    CHECK(root.effective_uid == 0);
    CHECK(root.initial_pid_namespace == true);
    const HostReadings user = read(session_section(), "1000\r\npid:[4026532201]\r\n");
    CHECK(user.effective_uid == 1000);
    CHECK(user.initial_pid_namespace == false);
}

TEST_CASE("what the session does not say stays unknown") {
    const HostReadings silent = read(session_section(), "");
    CHECK_FALSE(silent.effective_uid);
    CHECK_FALSE(silent.initial_pid_namespace);
    const HostReadings odd = read(session_section(), "id: not found\npid:[40265318");
    CHECK_FALSE(odd.effective_uid);
    CHECK_FALSE(odd.initial_pid_namespace);
}

TEST_CASE("both forms of the kernel's version line are read") {
    const auto version = [](const std::string& out) {
        return read(driver_section(), out).kernel_driver_version;
    };
    CHECK(version("NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.54.14  Thu Feb 22 01:44:30 "
                  "UTC 2024\n") == "550.54.14");
    CHECK(version("NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  570.86.15  Release "
                  "Build  (dvs-builder@U22-I3)  Thu Jan 16 22:02:15 UTC 2025\n") == "570.86.15");
    CHECK(version("NVRM version: NVIDIA UNIX Open Kernel Module for aarch64  595.80  Release\n") ==
          "595.80");
    CHECK_FALSE(version(""));
    CHECK_FALSE(version("GCC version:  gcc version 12.2.0 (Debian 12.2.0-14)\n"));
    CHECK_FALSE(version("NVIDIA UNIX x86_64 Kernel Module  unknown\n"));
    CHECK_FALSE(version("NVIDIA UNIX x86_64 Kernel Module\n550.54.14\n"));
}

TEST_CASE("a stuck nvidia-smi is kept with its age") {
    const HostReadings readings = read(stuck_section(), "3120 2460\n4000 61\n");
    REQUIRE(readings.stuck_queries.size() == 2);
    CHECK(readings.stuck_queries[0].pid == 3120);
    CHECK(readings.stuck_queries[0].age_seconds == 2460);
    CHECK(read(stuck_section(), "").stuck_queries.empty());
    CHECK(read(stuck_section(), "grep: x\n0 5\n17").stuck_queries.empty());
}

TEST_CASE("owners are read with their command line as it is") {
    const HostReadings readings =
        read(owners_section({7}),
             "  88123 anna                             Sl    11520 torchrun  train.py --x=1, 2\n"
             "    391 root                             Zl+     130 [python3] <defunct>\n"
             "    392 root                             S         - x\n");
    REQUIRE(readings.owners.size() == 3);
    CHECK(readings.owners[0].pid == 88123);
    CHECK(readings.owners[0].user == "anna");
    CHECK(readings.owners[0].state == "Sl");
    CHECK(readings.owners[0].age_seconds == 11520);
    CHECK(readings.owners[0].command == "torchrun train.py --x=1, 2");
    CHECK(readings.owners[1].state == "Zl+");
    CHECK_FALSE(readings.owners[2].age_seconds);
}

TEST_CASE("a ps that cannot answers nothing") {
    CHECK(read(owners_section({7}), "").owners.empty());
    CHECK(read(owners_section({7}),
               "ps: invalid option -- 'p'\nBusyBox v1.35.0 multi-call binary.\n\nUsage: ps\n")
              .owners.empty());
    CHECK(read(owners_section({7}), "88123 anna Sl 11520 torn").owners.empty());
}

TEST_CASE("at most 64 owners are asked for and kept") {
    std::vector<std::int64_t> pids;
    std::string out;
    for (int pid = 1; pid <= 200; ++pid) {
        pids.push_back(pid);
        out += std::to_string(pid) + " u S 1 c\n";
    }
    const SectionKind kind = owners_section(pids);
    CHECK_THAT(kind.body, ContainsSubstring(",63,64 "));
    CHECK(kind.body.find(",65") == std::string::npos);
    CHECK(read(kind, out).owners.size() == 64);
}
