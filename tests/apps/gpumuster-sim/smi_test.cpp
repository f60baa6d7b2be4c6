#include "gpumuster-sim/smi.hpp"

#include <set>

#include "support/catch.hpp"

using namespace gpumuster::sim;

namespace {

const std::string plain = "--query-gpu=index,memory.used --format=csv,noheader";
const std::string health =
    "--query-gpu=index,memory.used,utilization.gpu,temperature.gpu,pstate --format=csv,noheader";

SimulatedHost host_in(HostState state, int gpus = 8) {
    SimulatedHost host;
    host.name = "node01";
    host.state = state;
    host.gpus = gpus;
    return host;
}

}  // namespace

TEST_CASE("an idle host answers the plain query with a row for each GPU") {
    const CommandResult result = nvidia_smi(host_in(HostState::clean, 2), plain);
    CHECK(result.out == "0, 2 MiB\n1, 2 MiB\n");
    CHECK(result.err.empty());
    CHECK(result.exit_status == 0);
}

TEST_CASE("a query may leave out units") {
    const std::string query =
        "--query-gpu=memory.total,memory.used,utilization.gpu "
        "--format=csv,noheader,nounits";
    CHECK(nvidia_smi(host_in(HostState::clean, 1), query).out == "81559, 2, 0\n");
}

TEST_CASE("a rich row has the cells that were asked for, in that order") {
    const std::string query =
        "--query-gpu=pstate,index,name,pci.bus_id,memory.total,"
        "driver_version --format=csv,noheader";
    CHECK(nvidia_smi(host_in(HostState::clean, 1), query).out ==
          "P0, 0, NVIDIA H100 80GB HBM3, 00000000:1B:00.0, 81559 MiB, 570.86.15\n");
}

TEST_CASE("a held host shows memory on GPU 0 and no process") {
    const SimulatedHost host = host_in(HostState::held);
    CHECK(nvidia_smi(host, plain).out ==
          "0, 1523 MiB\n1, 3 MiB\n2, 3 MiB\n3, 3 MiB\n4, 3 MiB\n5, 3 MiB\n6, 3 MiB\n7, 3 MiB\n");
    const CommandResult processes =
        nvidia_smi(host, "--query-compute-apps=pid --format=csv,noheader");
    CHECK(processes.out.empty());
    CHECK(processes.exit_status == 0);
}

TEST_CASE("a busy host names a process on each GPU of the lower half") {
    const SimulatedHost host = host_in(HostState::busy, 4);
    CHECK(nvidia_smi(host, plain).out == "0, 74200 MiB\n1, 74200 MiB\n2, 2 MiB\n3, 2 MiB\n");
    const auto holders = gpu_holders(host);
    REQUIRE(holders.size() == 2);
    const std::string query =
        "--query-compute-apps=gpu_uuid,pid,process_name,used_memory --format=csv,noheader";
    CHECK(nvidia_smi(host, query).out ==
          gpu_uuid(host, 0) + ", " + std::to_string(holders[0].pid) + ", python3, 74198 MiB\n" +
              gpu_uuid(host, 1) + ", " + std::to_string(holders[1].pid) + ", python3, 74198 MiB\n");
}

TEST_CASE("a missing GPU leaves a gap where it is asked for, else the last one is gone") {
    SimulatedHost host = host_in(HostState::missing_gpu, 3);
    CHECK(nvidia_smi(host, plain).out == "0, 2 MiB\n1, 2 MiB\n");
    host.missing_index = 1;
    CHECK(nvidia_smi(host, plain).out == "0, 2 MiB\n2, 2 MiB\n");
}

TEST_CASE("a lost GPU is an error line among the rows") {
    const CommandResult result = nvidia_smi(host_in(HostState::lost_gpu, 2), plain);
    CHECK(result.out ==
          "0, 2 MiB\n"
          "Unable to determine the device handle for GPU 0000:43:00.0: GPU is lost.  Reboot the "
          "system to recover this GPU\n");
    CHECK(result.exit_status == 15);
}

TEST_CASE("a GPU that needs a reset looks free to the plain query alone") {
    const SimulatedHost host = host_in(HostState::needs_reset, 1);
    CHECK(nvidia_smi(host, plain).out == "0, 0 MiB\n");
    CHECK(nvidia_smi(host, health).out ==
          "0, 0 MiB, [GPU requires reset], [GPU requires reset], [GPU requires reset]\n");
}

TEST_CASE("a driver that does not answer says so on standard output") {
    const CommandResult mismatch = nvidia_smi(host_in(HostState::version_mismatch), plain);
    CHECK(mismatch.out ==
          "Failed to initialize NVML: Driver/library version mismatch\n"
          "NVML library version: 570.124\n");
    CHECK(mismatch.exit_status == 18);
    const CommandResult absent = nvidia_smi(host_in(HostState::driver_not_loaded), plain);
    CHECK_THAT(absent.out, ContainsSubstring("couldn't communicate with the NVIDIA driver"));
    CHECK(absent.exit_status == 9);
}

TEST_CASE("one unknown field refuses the whole query by name") {
    const CommandResult result = nvidia_smi(
        host_in(HostState::clean), "--query-gpu=index,mood,memory.used --format=csv,noheader");
    CHECK(result.out == "Field \"mood\" is not a valid field to query.\n\n");
    CHECK(result.exit_status == 2);
}

TEST_CASE("a host that refuses fields still answers the plain query") {
    const SimulatedHost host = host_in(HostState::field_refused, 1);
    CHECK(nvidia_smi(host, health).exit_status == 2);
    CHECK(nvidia_smi(host, health).out ==
          "Field \"utilization.gpu\" is not a valid field to query.\n\n");
    CHECK(nvidia_smi(host, plain).out == "0, 2 MiB\n");
}

TEST_CASE("a host without GPUs says that none were found") {
    const CommandResult result = nvidia_smi(host_in(HostState::clean, 0), plain);
    CHECK(result.out == "No devices were found\n");
    CHECK(result.exit_status == 6);
}

TEST_CASE("UUIDs differ between GPUs and hosts and are the same in every run") {
    std::set<std::string> seen;
    for (const char* name : {"node01", "node02", "node10"}) {
        SimulatedHost host;
        host.name = name;
        for (int index = 0; index < max_gpus; ++index) seen.insert(gpu_uuid(host, index));
    }
    CHECK(seen.size() == 3 * max_gpus);
    CHECK(gpu_uuid(host_in(HostState::clean), 0) == gpu_uuid(host_in(HostState::held), 0));
    CHECK(gpu_uuid(host_in(HostState::clean), 0) == "GPU-2dea339f-cb6a-e502-8ca7-3d7fc3425158");
}
