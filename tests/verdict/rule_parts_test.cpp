#include "gpumuster/verdict/gpu_health_rules.hpp"
#include "gpumuster/verdict/known_programs.hpp"
#include "gpumuster/verdict/process_rules.hpp"
#include "support/catch.hpp"

using namespace gpumuster;

TEST_CASE("lists of GPUs are folded") {
    CHECK(gpu_subject({0}) == "GPU 0");
    CHECK(gpu_subject({0, 1, 2, 3, 5}) == "GPU 0-3,5");
    CHECK(gpu_subject({1, 3, 5}) == "GPU 1,3,5");
    CHECK(gpu_subject({0, 1}) == "GPU 0-1");
}

TEST_CASE("bus ids are the same in either width and case") {
    CHECK(is_same_bus_id("00000000:83:00.0", "0000:83:00.0"));
    CHECK(is_same_bus_id("0000000F:01:00.0", "000f:01:00.0"));
    CHECK_FALSE(is_same_bus_id("00000001:83:00.0", "0000:83:00.0"));
    CHECK_FALSE(is_same_bus_id("0000:83:00.0", "0000:84:00.0"));
    CHECK_FALSE(is_same_bus_id("0000:83:00.0", "0000:83:00.1"));
}

TEST_CASE("workers of one job have one name, other programs keep theirs") {
    CHECK(job_of("VLLM::Worker_TP0") == job_of("VLLM::Worker_TP7"));
    CHECK(job_of("sglang::scheduler_TP0") == job_of("sglang::scheduler_TP1"));
    CHECK(job_of("python train.py --local_rank=0 -x") ==
          job_of("python train.py --local_rank=3 -x"));
    CHECK(job_of("python train1.py") != job_of("python train2.py"));
    CHECK(job_of("./run1") != job_of("./run2"));
    CHECK(job_of("VLLM::Worker_TP0 a") != job_of("VLLM::Worker_TP0 b"));
}

TEST_CASE("the program of a process name is the last part of its path") {
    CHECK(program_of("/usr/bin/nv-hostengine -n") == "nv-hostengine");
    CHECK(program_of("C:\\Windows\\System32\\dwm.exe") == "dwm.exe");
    CHECK(program_of("python") == "python");
    CHECK(program_of("") == "");
}

TEST_CASE("boards are told by whole words of their name") {
    CHECK(has_unified_memory("NVIDIA GB10"));
    CHECK(has_unified_memory("Orin (nvgpu)"));
    CHECK_FALSE(has_unified_memory("NVIDIA GB100"));
    CHECK(has_numa_memory("NVIDIA GH200 480GB"));
    CHECK_FALSE(has_numa_memory("NVIDIA H200"));
    CHECK(can_be_split("NVIDIA A100-SXM4-80GB"));
    CHECK(can_be_split("NVIDIA A30"));
    CHECK_FALSE(can_be_split("NVIDIA RTX A3000"));
    CHECK_FALSE(can_be_split("NVIDIA RTX A2000 Laptop GPU"));
}
