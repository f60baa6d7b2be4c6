#include "gpumuster/probe/process_query.hpp"

#include "support/catch.hpp"

using namespace gpumuster;

namespace {

ProcessAnswer read(std::string out, std::optional<int> status = 0, std::string err = {}) {
    return parse_process_query({"processes", std::move(out), std::move(err), status});
}

}  // namespace

TEST_CASE("process rows become typed values") {
    const ProcessAnswer answer = read(
        "gpu_uuid, pid, process_name, used_gpu_memory [MiB]\n"
        "GPU-0, 10525, /root/tools/memhog, 1542 MiB\n"
        "GPU-0, 10529, /root/tools/memhög ünïcode, 818 MiB\n"
        "GPU-1, 10528, /root/tools/mem \"q\" hog, 818\n");
    CHECK(answer.query.outcome == QueryOutcome::answered);
    REQUIRE(answer.processes.size() == 3);
    CHECK(answer.processes[0].gpu_uuid == "GPU-0");
    CHECK(answer.processes[0].pid == 10525);
    CHECK(answer.processes[0].name == "/root/tools/memhog");
    CHECK(answer.processes[0].memory_used_mib == 1542);
    CHECK(answer.processes[1].name == "/root/tools/memhög ünïcode");
    CHECK(answer.processes[2].name == "/root/tools/mem \"q\" hog");
    CHECK(answer.processes[2].memory_used_mib == 818);
}

TEST_CASE("a process name may hold commas") {
    const ProcessAnswer answer =
        read("GPU-0, 7, msedge --enable=, --trial=0,i,3,4 --seed, 25 MiB\n");
    REQUIRE(answer.processes.size() == 1);
    CHECK(answer.processes[0].name == "msedge --enable=, --trial=0,i,3,4 --seed");
    CHECK(answer.processes[0].memory_used_mib == 25);
}

TEST_CASE("nothing at all means that no process is visible") {
    for (const std::string out : {"", "\n", "gpu_uuid, pid, process_name, used_gpu_memory [MiB]\n",
                                  "No running processes found\n"}) {
        const ProcessAnswer answer = read(out);
        CHECK(answer.query.outcome == QueryOutcome::answered);
        CHECK(answer.processes.empty());
    }
}

TEST_CASE("a bare token means that processes cannot be listed") {
    for (const std::string token : {"[Not Supported]\n", "[N/A]\n", "N/A\n"}) {
        const ProcessAnswer answer = read(token);
        CHECK(answer.query.outcome == QueryOutcome::failed);
        CHECK(answer.processes.empty());
        CHECK_FALSE(answer.query.quote.empty());
    }
}

TEST_CASE("hidden names and memory are missing values") {
    const ProcessAnswer answer = read(
        "GPU-0, 709032, [Not Found], 20106 MiB\n"
        "GPU-0, 524, [Insufficient Permissions], [N/A]\n"
        "GPU-0, 10808, , [N/A]\n"
        "GPU-0, 2140, C:\\Windows\\System32\\dwm.exe, [N/A]\n");
    REQUIRE(answer.processes.size() == 4);
    CHECK_FALSE(answer.processes[0].name);
    CHECK(answer.processes[0].memory_used_mib == 20106);
    CHECK_FALSE(answer.processes[1].name);
    CHECK_FALSE(answer.processes[1].memory_used_mib);
    CHECK_FALSE(answer.processes[2].name);
    CHECK(answer.processes[3].name == "C:\\Windows\\System32\\dwm.exe");
}

TEST_CASE("a row that hides its pid still proves a process on its GPU") {
    const ProcessAnswer answer = read(
        "GPU-0, [Insufficient Permissions], [Insufficient Permissions], "
        "[Insufficient Permissions]\n");
    CHECK(answer.query.outcome == QueryOutcome::answered);
    CHECK(answer.processes.empty());
    REQUIRE(answer.hidden_process_gpus.size() == 1);
    CHECK(answer.hidden_process_gpus[0] == "GPU-0");
}

TEST_CASE("the same row twice is one process, another GPU is another row") {
    CHECK(read("GPU-0, 7, a, 1 MiB\nGPU-0, 7, a, 1 MiB\n").processes.size() == 1);
    CHECK(read("GPU-0, 7, a, 1 MiB\nGPU-1, 7, a, 1 MiB\n").processes.size() == 2);
}

TEST_CASE("what is no pid is no process") {
    const std::string pid = GENERATE(as<std::string>{}, "0", "-4", "x", "99999999999", "1.5");
    CHECK(read("GPU-0, " + pid + ", a, 1 MiB\n").processes.empty());
}

TEST_CASE("a torn list is torn, without its last line") {
    const ProcessAnswer torn = read("GPU-0, 7, a, 1 MiB\nGPU-1, 8, b, 10", std::nullopt);
    CHECK(torn.query.outcome == QueryOutcome::torn);
    CHECK(torn.processes.size() == 1);
    CHECK(read("GPU-1, 8, b, 10", 0).processes.size() == 1);
}

TEST_CASE("a list that hung, broke or was refused is told apart") {
    CHECK(read("", 124).query.outcome == QueryOutcome::timed_out);
    CHECK(read("", 137).query.outcome == QueryOutcome::timed_out);
    CHECK(read("Failed to initialize NVML: Unknown Error\n", 255).query.outcome ==
          QueryOutcome::failed);
    CHECK(read("Field \"gpu_uuid\" is not a valid field to query.\n", 2).query.outcome ==
          QueryOutcome::field_refused);
    CHECK(read("GPU-0, 7, a, 1 MiB\nUnable to determine the device handle for GPU 0000:41:00.0: "
               "Unknown Error\n",
               0)
              .query.outcome == QueryOutcome::partial);
}

TEST_CASE("remarks on standard error do not spoil an empty list") {
    CHECK(read("", 0, "ERROR: ld.so: object 'x.so' from LD_PRELOAD cannot be preloaded\n")
              .query.outcome == QueryOutcome::answered);
    CHECK(read("WARNING: infoROM is corrupted at gpu 0000:67:00.0\n", 14).query.outcome ==
          QueryOutcome::answered);
}

TEST_CASE("the bytes of a name are made safe") {
    const ProcessAnswer answer = read("GPU-0, 7, \xb5\x1b[2Jtool, 1 MiB\n");
    REQUIRE(answer.processes.size() == 1);
    CHECK(answer.processes[0].name->find('\x1b') == std::string::npos);
    CHECK(answer.processes[0].name->find('\xb5') == std::string::npos);
    CHECK_THAT(*answer.processes[0].name, ContainsSubstring("tool"));
}
