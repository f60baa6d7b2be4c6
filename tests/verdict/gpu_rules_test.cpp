#include "support/catch.hpp"
#include "verdict/answers.hpp"

using namespace gpumuster;
using namespace gpumuster::test;

namespace {

Answer with_processes(const std::string& gpus, const std::string& processes) {
    Answer answer;
    answer.gpus = gpus;
    answer.processes = processes;
    return answer;
}

ProcessOwner owner(std::int64_t pid, const char* user, const char* state, std::int64_t age,
                   const char* command) {
    return {pid, user, state, age, command};
}

}  // namespace

TEST_CASE("an idle GPU with a monitoring service on it is clean, with the service named") {
    const std::string service = GENERATE(as<std::string>{}, "/usr/bin/nv-hostengine -n",
                                         "nvidia-persistenced", "nvidia-persiste", "dcgm-exporter",
                                         "nvidia-cuda-mps-server", "/usr/bin/nvidia_gpu_exporter");
    const HostVerdict verdict = verdict_of(
        with_processes(gpu_row(0, "28 MiB"), "GPU-0, 11850, " + service + ", 26 MiB\n").readings());
    CHECK(verdict.verdict == Verdict::clean);
    CHECK(codes(verdict) == Codes{"gpu.infrastructure"});
    CHECK_THAT(verdict.findings[0].message, ContainsSubstring("pid 11850"));
}

TEST_CASE("a program that only resembles a service is a user") {
    const std::string program = GENERATE(as<std::string>{}, "nv-hostengine2", "my-dcgm-exporter",
                                         "python nv-hostengine", "Xorgy", "/opt/Xorg/bin/train");
    const HostVerdict verdict = verdict_of(
        with_processes(gpu_row(0, "28 MiB"), "GPU-0, 7, " + program + ", 26 MiB\n").readings());
    CHECK(verdict.verdict == Verdict::busy);
}

TEST_CASE("a service explains the memory that is listed for it, and no more") {
    const auto host = [](const std::string& used) {
        return verdict_of(
            with_processes(gpu_row(0, used), "GPU-0, 7, nv-hostengine, 300 MiB\n").readings());
    };
    CHECK(host("390 MiB").verdict == Verdict::clean);
    CHECK(host("401 MiB").verdict == Verdict::held);
}

TEST_CASE("a process makes its GPU busy, whatever the floor, and is named") {
    HostReadings readings =
        with_processes(gpu_row(0, "0 MiB") + gpu_row(1, "90 MiB"), "GPU-1, 88123, python, 80 MiB\n")
            .readings();
    HostVerdict verdict = verdict_of(readings);
    CHECK(verdict.verdict == Verdict::busy);
    CHECK(verdict.gpus[0].verdict == Verdict::clean);
    CHECK(verdict.gpus[1].verdict == Verdict::busy);
    CHECK(codes(verdict) == Codes{"gpu.process"});
    CHECK(verdict.findings[0].subject == "GPU 1");
    CHECK(verdict.findings[0].message == "used by python (pid 88123), 80 MiB");

    readings.owners = {owner(88123, "anna", "Sl", 11520, "torchrun train.py")};
    verdict = verdict_of(readings);
    CHECK(verdict.findings[0].message ==
          "used by anna: torchrun train.py (pid 88123), 80 MiB, running for 3 h 12 min");
}

TEST_CASE("the eight workers of one job are one finding") {
    HostReadings readings;
    std::string gpus;
    std::string processes;
    for (int i = 0; i < 8; ++i) {
        gpus += gpu_row(i, "74210 MiB", "97 %");
        processes += "GPU-" + std::to_string(i) + ", " + std::to_string(500 + i) +
                     ", VLLM::Worker_TP" + std::to_string(i) + ", " + std::to_string(74100 + i) +
                     " MiB\n";
    }
    readings = with_processes(gpus, processes).readings();
    for (int i = 0; i < 8; ++i)
        readings.owners.push_back(owner(500 + i, "anna", "Sl", 7800, "VLLM::Worker_TP0"));
    const HostVerdict verdict = verdict_of(readings);
    CHECK(verdict.verdict == Verdict::busy);
    REQUIRE(codes(verdict) == Codes{"gpu.process"});
    CHECK(verdict.findings[0].subject == "GPU 0-7");
    CHECK(verdict.findings[0].message ==
          "used by anna: VLLM::Worker_TP0 (pid 500, 501, 502 and 5 more), 74100-74107 MiB each, "
          "running for 2 h 10 min");
}

TEST_CASE("other commands and other users are findings of their own") {
    HostReadings readings =
        with_processes(gpu_row(0, "900 MiB") + gpu_row(1, "900 MiB") + gpu_row(2, "900 MiB"),
                       "GPU-0, 7, python train1.py, 800 MiB\nGPU-1, 8, python train2.py, 800 MiB\n"
                       "GPU-2, 9, python train2.py, 800 MiB\n")
            .readings();
    CHECK(codes(verdict_of(readings)).size() == 2);
    readings.owners = {owner(8, "anna", "S", 1, "python train2.py"),
                       owner(9, "bob", "S", 1, "python train2.py")};
    CHECK(codes(verdict_of(readings)).size() == 3);
}

TEST_CASE("a zombie without a live thread holds nothing, one with live threads does") {
    HostReadings readings =
        with_processes(gpu_row(0, "5371 MiB"), "GPU-0, 7653, python, 5369 MiB\n").readings();
    readings.owners = {owner(7653, "anna", "Z", 60, "[python] <defunct>")};
    HostVerdict verdict = verdict_of(readings);
    CHECK(verdict.verdict == Verdict::held);
    CHECK(codes(verdict) == Codes{"gpu.memory.held"});
    CHECK(verdict.findings[0].message.find("7653") == std::string::npos);
    readings.owners = {owner(7653, "anna", "Zl", 60, "[python] <defunct>")};
    CHECK(verdict_of(readings).verdict == Verdict::busy);
}

TEST_CASE("a process that cannot be named holds its GPU") {
    const auto host = [](const std::string& row) {
        return verdict_of(
            with_processes(gpu_row(0, "20110 MiB") + gpu_row(1, "0 MiB"), row).readings());
    };
    const HostVerdict outside = host("GPU-0, 709032, [Not Found], 20106 MiB\n");
    CHECK(outside.verdict == Verdict::held);
    CHECK(codes(outside) == Codes{"gpu.process_hidden"});
    CHECK_THAT(outside.findings[0].message, ContainsSubstring("pid 709032"));
    CHECK(host("GPU-0, 524, [Insufficient Permissions], [N/A]\n").verdict == Verdict::held);
    const HostVerdict hidden = host(
        "GPU-0, [Insufficient Permissions], [Insufficient Permissions], "
        "[Insufficient Permissions]\n");
    CHECK(codes(hidden) == Codes{"gpu.process_hidden"});
    CHECK(hidden.findings[0].subject == "GPU 0");
    CHECK(hidden.gpus[1].verdict == Verdict::clean);
}

TEST_CASE("a hidden name that ps resolves is another user's process, and busy") {
    HostReadings readings =
        with_processes(gpu_row(0, "900 MiB"), "GPU-0, 7, [Insufficient Permissions], [N/A]\n")
            .readings();
    readings.owners = {owner(7, "bob", "Sl", 60, "ollama serve")};
    const HostVerdict verdict = verdict_of(readings);
    CHECK(verdict.verdict == Verdict::busy);
    CHECK_THAT(verdict.findings.at(0).message, ContainsSubstring("bob: ollama serve"));
}

TEST_CASE("held memory says why its owner cannot be seen and where to look") {
    Answer answer;
    answer.gpus = gpu_row(0, "11637 MiB") + gpu_row(1, "12000 MiB");
    const auto held = [&] { return *find(verdict_of(answer.readings()), "gpu.memory.held"); };
    CHECK(held().subject == "GPU 0-1");
    CHECK(held().message ==
          "11637-12000 MiB in use above the idle floor of 100 MiB, and nvidia-smi lists no process "
          "here");
    answer.session = "0\npid:[4026532201]\n";
    CHECK_THAT(held().message, ContainsSubstring("container"));
    CHECK_THAT(held().next_step, ContainsSubstring("machine that runs the container"));
    answer.session = "1000\npid:[4026531836]\n";
    CHECK_THAT(held().message, ContainsSubstring("to this user"));
    CHECK_THAT(held().next_step, ContainsSubstring("on node57: sudo fuser"));
    answer.processes = "[Not Supported]\n";
    CHECK_THAT(held().message, ContainsSubstring("could not list processes"));
}

TEST_CASE("a process list that failed is a warning where nothing needs it") {
    const HostVerdict verdict =
        verdict_of(with_processes(gpu_row(0, "3 MiB"), "[Not Supported]\n").readings());
    CHECK(verdict.verdict == Verdict::clean);
    CHECK(codes(verdict) == Codes{"processes.not_listed"});
    CHECK_THAT(verdict.findings[0].message, ContainsSubstring("[Not Supported]"));
}

TEST_CASE("work that nothing explains is unknown in a single sample, whatever the memory") {
    const HostVerdict verdict = verdict_of(
        with_processes(gpu_row(0, "0 MiB", "100 %") + gpu_row(1, "0 MiB"), "").readings());
    CHECK(verdict.verdict == Verdict::unknown);
    CHECK(codes(verdict) == Codes{"gpu.work_unseen"});
    CHECK(verdict.findings[0].subject == "GPU 0");
    CHECK_THAT(verdict.findings[0].message, ContainsSubstring("100 %"));
    CHECK(verdict.gpus[1].verdict == Verdict::clean);
    CHECK(verdict_of(with_processes(gpu_row(0, "0 MiB", "4 %"), "").readings()).verdict ==
          Verdict::clean);
    CHECK(verdict_of(with_processes(gpu_row(0, "0 MiB", "5 %"), "").readings()).verdict ==
          Verdict::unknown);
    CHECK(codes(verdict_of(with_processes(gpu_row(0, "900 MiB", "90 %"), "").readings())) ==
          Codes{"gpu.memory.held"});
}

TEST_CASE("MIG without an instance in use is clean") {
    const HostVerdict verdict =
        verdict_of(with_processes(gpu_row(0, "59 MiB", "[N/A]"), "").readings());
    CHECK(verdict.verdict == Verdict::clean);
    CHECK(codes(verdict) == Codes{"gpu.mig"});
    CHECK(verdict_of(with_processes(gpu_row(0, "11125 MiB", "[N/A]"), "").readings()).verdict ==
          Verdict::held);
    CHECK(codes(verdict_of(
                    with_processes(
                        gpu_row(0, "2 MiB", "[Not Supported]", "NVIDIA RTX A2000 Laptop GPU"), "")
                        .readings()))
              .empty());
}

TEST_CASE("a vGPU has neither utilisation nor temperature and is clean") {
    const HostVerdict verdict = verdict_of(
        with_processes(gpu_row(0, "1 MiB", "[N/A]", "GRID A100D-1-20C", "[N/A]"), "").readings());
    CHECK(verdict.verdict == Verdict::clean);
    CHECK(verdict.findings.empty());
}

TEST_CASE("unified memory is clean when nothing uses the GPU, busy when something does") {
    const std::string row =
        "0, GPU-0, NVIDIA GB10, 0000000F:01:00.0, [N/A], [N/A], 0 %, 35, P8, 580.173.02\n";
    const HostVerdict idle = verdict_of(with_processes(row, "").readings());
    CHECK(idle.verdict == Verdict::clean);
    CHECK(codes(idle) == Codes{"gpu.memory.unified"});
    CHECK(verdict_of(with_processes(row, "GPU-0, 7, python, 900 MiB\n").readings()).verdict ==
          Verdict::busy);
    CHECK(verdict_of(with_processes(row, "[Not Supported]\n").readings()).verdict ==
          Verdict::unknown);
    std::string working = row;
    working.replace(working.find("0 %"), 3, "96 %");
    CHECK(verdict_of(with_processes(working, "").readings()).verdict == Verdict::unknown);
    const HostVerdict jetson = verdict_of(
        with_processes("0, [N/A], Orin (nvgpu), N/A, [N/A], [N/A], [N/A], [N/A], [N/A], 540.4.0\n",
                       "")
            .readings());
    CHECK(jetson.verdict == Verdict::clean);
}

TEST_CASE("memory without a number is unknown, never free") {
    for (const std::string token : {"[N/A]", "[Insufficient Permissions]", "-1 MiB", ""}) {
        const HostVerdict verdict =
            verdict_of(with_processes(gpu_row(0, token) + gpu_row(1, "0 MiB"), "").readings());
        CHECK(verdict.verdict == Verdict::unknown);
        CHECK(codes(verdict) == Codes{"gpu.memory.unknown"});
        CHECK(verdict.findings[0].message == "used memory came as \"" + token + "\"");
        CHECK(verdict.gpus[0].verdict == Verdict::unknown);
        CHECK(verdict.gpus[1].verdict == Verdict::clean);
    }
    CHECK(verdict_of(plain(exited("0, [N/A]\n"))).verdict == Verdict::unknown);
}

TEST_CASE("memory of a NUMA board that nobody owns may be page cache") {
    const HostVerdict verdict = verdict_of(
        with_processes(gpu_row(0, "16341 MiB", "0 %", "NVIDIA GH200 120GB"), "").readings());
    CHECK(verdict.verdict == Verdict::unknown);
    CHECK(codes(verdict) == Codes{"gpu.memory.numa"});
    CHECK(
        verdict_of(with_processes(gpu_row(0, "37 MiB", "0 %", "NVIDIA GH200 120GB"), "").readings())
            .verdict == Verdict::clean);
}

TEST_CASE("a desktop explains its share of memory, more than that is busy") {
    const auto desktop = [](const std::string& used) {
        return verdict_of(with_processes(gpu_row(0, used, "1 %", "NVIDIA GeForce RTX 4080 SUPER"),
                                         "GPU-0, 2165, /usr/bin/kwin_wayland, 25 MiB\n")
                              .readings());
    };
    CHECK(desktop("596 MiB").verdict == Verdict::clean);
    CHECK(codes(desktop("596 MiB")) == Codes{"gpu.display"});
    CHECK(desktop("1987 MiB").verdict == Verdict::busy);
    CHECK(codes(desktop("1987 MiB")) == Codes{"gpu.graphics"});
    CHECK(verdict_of(with_processes(gpu_row(0, "214 MiB"), "").readings()).verdict ==
          Verdict::held);
}

TEST_CASE("a lost GPU among rows takes the gap in the numbering and leaves the others clean") {
    const HostVerdict verdict = verdict_of(
        with_processes(gpu_row(0, "0 MiB") +
                           "Unable to determine the device handle for GPU 0000:41:00.0: GPU is "
                           "lost.  Reboot the system to recover this GPU\n" +
                           gpu_row(2, "0 MiB"),
                       "")
            .readings());
    CHECK(verdict.verdict == Verdict::broken);
    CHECK(codes(verdict) == Codes{"gpu.lost"});
    CHECK(verdict.findings[0].subject == "GPU 1");
    CHECK_THAT(verdict.findings[0].message, ContainsSubstring("0000:41:00.0"));
    CHECK(verdict.gpus[0].verdict == Verdict::clean);
    CHECK(verdict.gpus[1].verdict == Verdict::clean);
}

TEST_CASE("two lost GPUs and one gap are not guessed together") {
    const HostVerdict verdict = verdict_of(
        with_processes(gpu_row(0, "0 MiB") +
                           "Unable to determine the device handle for GPU 0000:41:00.0: Unknown "
                           "Error\nUnable to determine the device handle for GPU 0000:42:00.0: "
                           "Unknown Error\n" +
                           gpu_row(2, "0 MiB"),
                       "")
            .readings());
    CHECK(codes(verdict) == Codes{"gpu.index_gap", "gpu.unreadable", "gpu.unreadable"});
    CHECK(find(verdict, "gpu.unreadable")->subject == "GPU 0000:41:00.0");
    CHECK(find(verdict, "gpu.index_gap")->subject == "GPU 1");
}

TEST_CASE("a gap alone is a GPU that is missing") {
    const HostVerdict verdict = verdict_of(plain(exited("1, 0 MiB\n3, 0 MiB\n")));
    CHECK(verdict.verdict == Verdict::broken);
    CHECK(find(verdict, "gpu.index_gap")->subject == "GPU 0,2");
    CHECK(find(verdict, "gpu.index_gap")->message ==
          "nvidia-smi counts to 3 but leaves out GPU 0,2");
}

TEST_CASE("an error that names a row's bus id belongs to that GPU, in either spelling") {
    Answer answer;
    answer.gpus = gpu_row(0, "0 MiB") + gpu_row(1, "0 MiB");
    answer.gpus_err =
        "Unable to determine the device handle for GPU 0000:11:00.0: GPU requires "
        "reset\n";
    const HostVerdict verdict = verdict_of(answer.readings());
    CHECK(codes(verdict) == Codes{"gpu.needs_reset"});
    CHECK(verdict.findings[0].subject == "GPU 1");
    CHECK(verdict.gpus[1].verdict == Verdict::broken);
}

TEST_CASE("a full row of unknown errors is one broken GPU") {
    const std::string token = GENERATE(as<std::string>{}, "[Unknown Error]", "ERR!");
    std::string row = "0";
    for (int i = 0; i < 9; ++i) row += ", " + token;
    const HostVerdict verdict =
        verdict_of(with_processes(row + "\n" + gpu_row(1, "0 MiB"), "").readings());
    CHECK(verdict.verdict == Verdict::broken);
    CHECK(codes(verdict) == Codes{"gpu.unreadable"});
    CHECK(verdict.gpus[1].verdict == Verdict::clean);
}

TEST_CASE("memory that a broken GPU still shows is not called held") {
    const HostVerdict verdict = verdict_of(
        with_processes(
            gpu_row(0, "58222 MiB", "[N/A]", "NVIDIA RTX PRO 6000", "[GPU requires reset]"), "")
            .readings());
    CHECK(codes(verdict) == Codes{"gpu.needs_reset"});
}

TEST_CASE("an infoROM warning is a warning of its GPU") {
    Answer answer;
    answer.gpus = gpu_row(0, "0 MiB") + "WARNING: infoROM is corrupted at gpu 0000:11:00.0\n" +
                  gpu_row(1, "0 MiB");
    answer.gpus_status = 14;
    const HostVerdict verdict = verdict_of(answer.readings());
    CHECK(verdict.verdict == Verdict::clean);
    CHECK(codes(verdict) == Codes{"gpu.inforom"});
    CHECK(verdict.findings[0].severity == Severity::warning);
    CHECK(verdict.findings[0].subject == "GPU 1");
}

TEST_CASE("health that was hidden is unknown, health that a board lacks is not") {
    const auto with = [](const std::string& utilization, const std::string& temperature,
                         const std::string& pstate) {
        return verdict_of(
            with_processes(gpu_row(0, "0 MiB", utilization, "NVIDIA L40S", temperature, pstate), "")
                .readings());
    };
    CHECK(with("0 %", "[Insufficient Permissions]", "P8").verdict == Verdict::unknown);
    CHECK(codes(with("[Unknown Error]", "30", "P8")) == Codes{"gpu.health.unread"});
    CHECK(with("0 %", "30", "fast").verdict == Verdict::unknown);
    CHECK(with("0 %", "[N/A]", "[N/A]").verdict == Verdict::clean);
    CHECK(with("0 %", "[Function Not Found]", "P8").verdict == Verdict::clean);
    CHECK(with("0 %", "[Requested functionality has been deprecated]", "P8").verdict ==
          Verdict::clean);
}

TEST_CASE("processes that cannot be placed make the host busy, and GPUs with memory as well") {
    HostReadings readings = Answer{}.readings();
    read_answer(Question::minimal_framed,
                exited(section_begin(marker.text, "gpus") + "0, 1523 MiB\n1, 0 MiB\n" +
                       section_end(marker.text, "gpus", 0) + frame_done(marker.text)),
                marker, readings);
    readings.processes = {{"GPU-0", 7, "python", 1500}};
    const HostVerdict verdict = verdict_of(readings);
    CHECK(verdict.verdict == Verdict::busy);
    CHECK(codes(verdict) == Codes{"health.refused", "gpu.process", "gpu.process"});
    CHECK(verdict.gpus[0].verdict == Verdict::busy);
    CHECK(verdict.gpus[1].verdict == Verdict::unknown);
}
