#pragma once

#include <string>
#include <vector>

#include "gpumuster/probe/frame.hpp"
#include "gpumuster/probe/probe.hpp"
#include "gpumuster/verdict/verdict.hpp"

namespace gpumuster::test {

inline const Marker marker{"00112233aabbccdd"};

inline CommandOutput exited(std::string out, int code = 0, std::string err = {}) {
    CommandOutput output;
    output.out = std::move(out);
    output.err = std::move(err);
    output.ending = Ending::exited;
    output.code = code;
    return output;
}

// What a host says to the full question, section by section. As it stands: one idle H200, asked as
// root outside of any container.
struct Answer {
    std::string session = "0\npid:[4026531836]\n";
    std::string gpus =
        "0, GPU-0, NVIDIA H200, 00000000:83:00.0, 143771 MiB, 0 MiB, 0 %, 28, P0, 590.48.01\n";
    int gpus_status = 0;
    std::string gpus_err;
    std::string processes;
    int processes_status = 0;

    CommandOutput output() const {
        const auto section = [](const char* name, const std::string& text, int status) {
            return section_begin(marker.text, name) + text + section_end(marker.text, name, status);
        };
        CommandOutput output = exited(
            section("session", session, 0) +
            section("driver", "NVRM version: NVIDIA UNIX x86_64 Kernel Module  590.48.01  x\n", 0) +
            section("stuck", "", 0) + section("gpus", gpus, gpus_status) +
            section("processes", processes, processes_status) + frame_done(marker.text));
        output.err = section("gpus", gpus_err, gpus_status);
        return output;
    }

    HostReadings readings() const {
        HostReadings readings;
        read_answer(Question::full, output(), marker, readings);
        return readings;
    }
};

// A row of the full query.
inline std::string gpu_row(int index, const std::string& memory,
                           const std::string& utilization = "0 %",
                           const std::string& name = "NVIDIA H100 80GB HBM3",
                           const std::string& temperature = "30",
                           const std::string& pstate = "P0") {
    const std::string number = std::to_string(index);
    return number + ", GPU-" + number + ", " + name + ", 00000000:1" + number +
           ":00.0, 81559 MiB, " + memory + ", " + utilization + ", " + temperature + ", " + pstate +
           ", 550.54.14\n";
}

// What the plain query answered, typed by the user (--probe minimal).
inline HostReadings plain(const CommandOutput& output) {
    HostReadings readings;
    readings.asked = ProbeLevel::minimal;
    read_answer(Question::minimal_bare, output, marker, readings);
    return readings;
}

inline HostVerdict verdict_of(const HostReadings& readings, const Expectations& expect = {}) {
    return judge(readings, expect, Thresholds{}, "node57");
}

inline const Finding* find(const HostVerdict& verdict, const std::string& code) {
    for (const Finding& finding : verdict.findings) {
        if (finding.code == code) return &finding;
    }
    return nullptr;
}

inline std::vector<std::string> codes(const HostVerdict& verdict) {
    std::vector<std::string> codes;
    for (const Finding& finding : verdict.findings) codes.push_back(finding.code);
    return codes;
}

using Codes = std::vector<std::string>;

}  // namespace gpumuster::test
