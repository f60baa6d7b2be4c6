#include "gpumuster/probe/gpu_query.hpp"

#include "support/catch.hpp"

using namespace gpumuster;
using namespace std::string_literals;

namespace {

Section section(std::string out, std::optional<int> status, std::string err = {}) {
    return {"gpus", std::move(out), std::move(err), status};
}

GpuAnswer full(const std::string& out, std::optional<int> status = 0) {
    return parse_gpu_query(section(out, status), ProbeLevel::full, Speaker::nvidia_smi);
}

GpuAnswer minimal(const std::string& out, std::optional<int> status = 0,
                  const std::string& err = {}) {
    return parse_gpu_query(section(out, status, err), ProbeLevel::minimal, Speaker::nvidia_smi);
}

std::string missing_token(const GpuReading& gpu, const std::string& field) {
    for (const MissingField& missing : gpu.missing) {
        if (missing.field == field) return missing.token;
    }
    return "(not missing)";
}

const std::string h200 =
    "0, GPU-00000000-0000-0000-0000-000000000000, NVIDIA H200, 00000000:83:00.0, 143771 MiB, "
    "0 MiB, 0 %, 28, P0, 590.48.01\n";

}  // namespace

TEST_CASE("a row of the full query becomes typed values") {
    const GpuAnswer answer = full(h200);
    CHECK(answer.query.outcome == QueryOutcome::answered);
    CHECK(answer.query.exit_status == 0);
    CHECK(answer.query.errors.empty());
    REQUIRE(answer.gpus.size() == 1);
    const GpuReading& gpu = answer.gpus[0];
    CHECK(gpu.index == 0);
    CHECK(gpu.uuid == "GPU-00000000-0000-0000-0000-000000000000");
    CHECK(gpu.name == "NVIDIA H200");
    CHECK(gpu.pci_bus_id == "00000000:83:00.0");
    CHECK(gpu.memory_total_mib == 143771);
    CHECK(gpu.memory_used_mib == 0);
    CHECK(gpu.utilization_percent == 0);
    CHECK(gpu.temperature_celsius == 28);
    CHECK(gpu.pstate == "P0");
    CHECK(gpu.driver_version == "590.48.01");
    CHECK(gpu.missing.empty());
    CHECK(answer.missing_indices.empty());
}

TEST_CASE("units may be missing and names may hold commas") {
    const GpuAnswer answer =
        full("3, GPU-1, Board, made by, X, 0000000F:01:00.0, 98304, 12, 7, 36, P8, 580.95.05\n");
    REQUIRE(answer.gpus.size() == 1);
    CHECK(answer.gpus[0].name == "Board, made by, X");
    CHECK(answer.gpus[0].pci_bus_id == "0000000F:01:00.0");
    CHECK(answer.gpus[0].memory_used_mib == 12);
    CHECK(answer.gpus[0].utilization_percent == 7);
}

TEST_CASE("the minimal pair is read") {
    const GpuAnswer answer = minimal("0, 0 MiB\n1, 2 MiB\n2, 1523 MiB\n");
    REQUIRE(answer.gpus.size() == 3);
    CHECK(answer.gpus[0].memory_used_mib == 0);
    CHECK(answer.gpus[2].memory_used_mib == 1523);
    CHECK_FALSE(answer.gpus[2].uuid);
    CHECK(answer.query.outcome == QueryOutcome::answered);
}

TEST_CASE("header, blank lines, carriage returns and noise around rows do no harm") {
    const std::string out = GENERATE(
        as<std::string>{}, "0, 0 MiB\n1, 4 MiB\n", "index, memory.used [MiB]\n0, 0 MiB\n1, 4 MiB\n",
        "0, 0 MiB\r\n1, 4 MiB\r\n", "Welcome to gpu node 7\n0, 0 MiB\n\n\n1, 4 MiB\nbye\n",
        "\x1b[2J\x1b[H\x1b[32mHello\x1b[0m\n0, 0 MiB\n1, 4 MiB\n", "0, 0 MiB\n1, 4 MiB",
        "0, 0 MIB\n1, 4 MIB\n", "0, 0\n1, 4\n", "  0,0 MiB\n 1,  4 MiB  \n",
        "0, 0 MiB\n1, 4 MiB\n0, 0 MiB\n1, 4 MiB\n", "1, 4 MiB\n0, 0 MiB\n");
    INFO(out);
    const GpuAnswer answer = minimal(out);
    CHECK(answer.query.outcome == QueryOutcome::answered);
    REQUIRE(answer.gpus.size() == 2);
    CHECK(answer.gpus[0].index == 0);
    CHECK(answer.gpus[0].memory_used_mib == 0);
    CHECK(answer.gpus[1].index == 1);
    CHECK(answer.gpus[1].memory_used_mib == 4);
}

TEST_CASE("remarks on standard error beside good rows do no harm") {
    const std::string err = GENERATE(
        as<std::string>{}, "bash: warning: setlocale: LC_ALL: cannot change locale (xx_YY.UTF-8)\n",
        "\tLANGUAGE = (unset),\n\tLC_ALL = \"xx_YY.UTF-8\",\n",
        "stty: 'standard input': Inappropriate ioctl for device\n"
        "/home/u/.bashrc: line 5: /opt/ros/noetic/setup.bash: No such file or directory\n",
        "0, 99999 MiB\n");
    const GpuAnswer answer = minimal("0, 0 MiB\n1, 4 MiB\n", 0, err);
    CHECK(answer.query.outcome == QueryOutcome::answered);
    REQUIRE(answer.gpus.size() == 2);
    CHECK(answer.gpus[0].memory_used_mib == 0);
}

TEST_CASE("a torn last line counts only when nvidia-smi ended on its own") {
    CHECK(minimal("0, 0 MiB\n1, 15", 0).gpus.size() == 2);
    CHECK(minimal("0, 0 MiB\n1, 15", std::nullopt).gpus.size() == 1);
    CHECK(minimal("0, 0 MiB\n1, 15", 124).gpus.size() == 1);
    CHECK(minimal("0, 0 MiB\n1, ", 124).gpus.size() == 1);
    CHECK(minimal("0, 0 MiB\n1, 15", 139).gpus.size() == 1);
    CHECK(minimal("0, 0 MiB\n1, 15", std::nullopt).query.outcome == QueryOutcome::torn);
    CHECK(minimal("0, 0 MiB\n1, ", 124).query.outcome == QueryOutcome::timed_out);
}

TEST_CASE("a line that starts as a row and is none makes the answer partial, never a zero") {
    const std::string line =
        GENERATE(as<std::string>{}, "1, 4 MiB, P0", "1, 44, P8, 210, 2100, 350.00, 31.99, 0, 11");
    const GpuAnswer answer = minimal("0, 0 MiB\n" + line + "\n");
    CHECK(answer.query.outcome == QueryOutcome::partial);
    CHECK(answer.query.quote == line);
    CHECK(answer.gpus.size() == 1);
    CHECK(full("0, GPU-1, NVIDIA H200, 00000000:83:00.0, 143771 MiB\n").gpus.empty());
}

TEST_CASE("a row of another query with more columns is no row of ours") {
    const GpuAnswer answer = full(
        "0, GPU-0, NVIDIA H200, 00000000:83:00.0, 143771 MiB, 0 MiB, 143158 MiB, 614 MiB, 0 %, 28, "
        "77.71 W, 700.00 W, 590.48.01, 96.00.A5.00.03, Enabled, 0, Disabled, Enabled, Default, "
        "0x0000000000000001, 5, 16, P0\n");
    CHECK(answer.gpus.empty());
    CHECK(answer.query.outcome == QueryOutcome::failed);
}

TEST_CASE("two different rows for one GPU keep the first and make the answer partial") {
    const GpuAnswer answer = minimal("0, 0 MiB\n0, 9 MiB\n");
    CHECK(answer.query.outcome == QueryOutcome::partial);
    REQUIRE(answer.gpus.size() == 1);
    CHECK(answer.gpus[0].memory_used_mib == 0);
}

TEST_CASE("what only resembles an index starts no row") {
    const std::string out =
        GENERATE(as<std::string>{}, "x, 2 MiB\n", "-1, 2 MiB\n", "0x0, 2 MiB\n", "2000000000, 2\n",
                 "+1, 2 MiB\n", "0 1, 2 MiB\n", "0: 2 MiB\n", ", 2 MiB\n", "GPU 0, 2 MiB\n");
    const GpuAnswer answer = minimal(out);
    CHECK(answer.gpus.empty());
    CHECK(answer.missing_indices.empty());
    CHECK(answer.query.outcome == QueryOutcome::failed);
}

TEST_CASE("every token in place of memory is a missing value with its token") {
    const std::string token =
        GENERATE(as<std::string>{}, "[N/A]", "N/A", "[Not Supported]", "Not Supported",
                 "[Insufficient Permissions]", "[Not Found]", "[Function Not Found]",
                 "[Requested functionality has been deprecated]", "", "-3 MiB",
                 "99999999999999999999 MiB", "1.5 MiB", "many");
    const GpuAnswer answer = minimal("0, " + token + "\n");
    REQUIRE(answer.gpus.size() == 1);
    CHECK_FALSE(answer.gpus[0].memory_used_mib);
    CHECK(missing_token(answer.gpus[0], "memory_used_mib") == token);
    CHECK(answer.query.errors.empty());
    CHECK(answer.query.outcome == QueryOutcome::answered);
}

TEST_CASE("a board without sensors keeps what it has") {
    const GpuAnswer orin =
        full("0, [N/A], Orin (nvgpu), N/A, [N/A], [N/A], [N/A], [N/A], [N/A], 540.4.0\n");
    REQUIRE(orin.gpus.size() == 1);
    CHECK(orin.gpus[0].name == "Orin (nvgpu)");
    CHECK(orin.gpus[0].missing.size() == 7);
    CHECK(orin.query.errors.empty());
    const GpuAnswer vgpu = full(
        "0, GPU-1, GRID A100D-1-20C, 00000000:02:00.0, 20480 MiB, 1 MiB, [N/A], [N/A], P0, "
        "550.90.07\n");
    CHECK(vgpu.gpus[0].memory_used_mib == 1);
    CHECK(missing_token(vgpu.gpus[0], "utilization_percent") == "[N/A]");
    CHECK(missing_token(vgpu.gpus[0], "temperature_celsius") == "[N/A]");
    CHECK(missing_token(vgpu.gpus[0], "pstate") == "(not missing)");
}

TEST_CASE("a GPU that requires a reset is an error beside its row, whatever its memory says") {
    const GpuAnswer answer = full(
        "0, GPU-1, NVIDIA H100 80GB HBM3, 00000000:19:00.0, 81559 MiB, 0 MiB, "
        "[GPU requires reset], [GPU requires reset], P0, 550.54.14\n");
    REQUIRE(answer.gpus.size() == 1);
    CHECK(answer.gpus[0].memory_used_mib == 0);
    REQUIRE(answer.query.errors.size() == 1);
    CHECK(answer.query.errors[0].kind == SmiErrorKind::gpu_needs_reset);
    CHECK(answer.query.errors[0].gpu_index == 0);
    CHECK(answer.query.errors[0].quote == "[GPU requires reset]");
}

TEST_CASE("unknown errors alarm in core cells only") {
    const auto row = [](const std::string& utilization, const std::string& temperature) {
        return full("1, GPU-1, NVIDIA RTX A6000, 00000000:19:00.0, 49140 MiB, 6 MiB, " +
                    utilization + ", " + temperature + ", P8, 535.54.03\n");
    };
    CHECK(row("[Unknown Error]", "40").query.errors.empty());
    const GpuAnswer sick = row("0 %", "[Unknown Error]");
    REQUIRE(sick.query.errors.size() == 1);
    CHECK(sick.query.errors[0].kind == SmiErrorKind::gpu_unreadable);
    CHECK(sick.query.errors[0].gpu_index == 1);
    CHECK(row("0 %", "ERR!").query.errors.size() == 1);
}

TEST_CASE("a lost GPU can print a full row of tokens") {
    const GpuAnswer answer = full(
        "0, [GPU is lost], [GPU is lost], [GPU is lost], [GPU is lost], [GPU is lost], "
        "[GPU is lost], [GPU is lost], [GPU is lost], [GPU is lost]\n");
    REQUIRE(answer.gpus.size() == 1);
    CHECK(answer.gpus[0].missing.size() == 9);
    REQUIRE(answer.query.errors.size() == 1);
    CHECK(answer.query.errors[0].kind == SmiErrorKind::gpu_lost);
}

TEST_CASE("a pstate that is none is missing") {
    const auto pstate = [](const std::string& cell) {
        return full("0, GPU-1, X, 00000000:19:00.0, 1 MiB, 1 MiB, 0 %, 1, " + cell +
                    ", 535.54.03\n")
            .gpus.at(0)
            .pstate;
    };
    CHECK(pstate("P0") == "P0");
    CHECK(pstate("P15") == "P15");
    CHECK_FALSE(pstate("8"));
    CHECK_FALSE(pstate("P"));
    CHECK_FALSE(pstate("Px"));
    CHECK_FALSE(pstate("P99"));
}

TEST_CASE("a failure line among rows is an error although the status is 0") {
    const GpuAnswer answer = minimal(
        "0, 44 MiB\nUnable to determine the device handle for GPU 0000:41:00.0: Unknown Error\n"
        "2, 61 MiB\n");
    CHECK(answer.query.outcome == QueryOutcome::partial);
    CHECK(answer.gpus.size() == 2);
    REQUIRE(answer.query.errors.size() == 1);
    CHECK(answer.query.errors[0].kind == SmiErrorKind::gpu_unreadable);
    CHECK(answer.query.errors[0].pci_bus_id == "0000:41:00.0");
    CHECK(answer.missing_indices == std::vector<int>{1});
}

TEST_CASE("gaps in the numbering are kept, the leading one as well") {
    CHECK(minimal("1, 0 MiB\n").missing_indices == std::vector<int>{0});
    CHECK(minimal("0, 0 MiB\n3, 0 MiB\n").missing_indices == std::vector<int>{1, 2});
    CHECK(minimal("0, 0 MiB\n1, 0 MiB\n").missing_indices.empty());
}

TEST_CASE("an infoROM warning leaves the rows valid, wherever it stands") {
    const std::string warning = "WARNING: infoROM is corrupted at gpu 0000:41:00.0\n";
    const std::string out =
        GENERATE_COPY(warning + "0, 1 MiB\n1, 1 MiB\n", "\n0, 1 MiB\n\n" + warning + "1, 1 MiB\n",
                      "0, 1 MiB\n1, 1 MiB\n" + warning);
    for (const int status : {0, 14}) {
        const GpuAnswer answer = minimal(out, status);
        CHECK(answer.query.outcome == QueryOutcome::answered);
        CHECK(answer.gpus.size() == 2);
        REQUIRE(answer.query.errors.size() == 1);
        CHECK(answer.query.errors[0].kind == SmiErrorKind::inforom_corrupted);
        CHECK(answer.query.errors[0].pci_bus_id == "0000:41:00.0");
    }
    CHECK(minimal("0, 1 MiB\n", 14).query.errors.size() == 1);
}

TEST_CASE("rows beside a failing status are kept and the answer is partial") {
    const GpuAnswer answer = minimal("0, 1 MiB\nsomething else broke\n", 255);
    CHECK(answer.query.outcome == QueryOutcome::partial);
    CHECK(answer.gpus.size() == 1);
    CHECK(answer.query.quote == "something else broke");
}

TEST_CASE("status 0 without any row is a failure with its quote") {
    const GpuAnswer silent = minimal("");
    CHECK(silent.query.outcome == QueryOutcome::failed);
    REQUIRE(silent.query.errors.size() == 1);
    CHECK(silent.query.errors[0].kind == SmiErrorKind::unrecognised);
    const GpuAnswer sftp = minimal("This service allows sftp connections only.\n");
    CHECK(sftp.query.outcome == QueryOutcome::failed);
    CHECK(sftp.query.quote == "This service allows sftp connections only.");
}

TEST_CASE("a refused field is told from a failure") {
    const GpuAnswer answer = full("Field \"pstate\" is not a valid field to query.\n\n", 2);
    CHECK(answer.query.outcome == QueryOutcome::field_refused);
    CHECK(answer.query.errors.empty());
}

TEST_CASE("a missing tool is told from a failure") {
    CHECK(full("", 127).query.outcome == QueryOutcome::tool_missing);
    CHECK(full("", 126).query.outcome == QueryOutcome::failed);
    CHECK(full("", 126).query.errors.at(0).kind == SmiErrorKind::tool_not_executable);
}

TEST_CASE("bytes that are no text do not end the reading") {
    const std::string out = "\0\xff\xfe, 2 MiB\n0, 2 MiB\n1, \xff MiB\n"s;
    const GpuAnswer answer = minimal(out);
    REQUIRE(answer.gpus.size() == 2);
    CHECK(answer.gpus[0].memory_used_mib == 2);
    CHECK_FALSE(answer.gpus[1].memory_used_mib);
    CHECK(missing_token(answer.gpus[1], "memory_used_mib").find('\xff') == std::string::npos);
    CHECK(minimal("0, 2 MiB\0\n"s).gpus.at(0).memory_used_mib == 2);
}
