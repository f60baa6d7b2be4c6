#include "gpumuster/probe/smi_errors.hpp"

#include <vector>

#include "gpumuster/probe/csv.hpp"
#include "support/catch.hpp"

using namespace gpumuster;

namespace {

Diagnosis read(std::string_view text, std::optional<int> status = {},
               Speaker speaker = Speaker::nvidia_smi) {
    std::vector<std::string_view> lines;
    for (const Line& line : split_lines(text)) lines.push_back(line.text);
    return diagnose(lines, status, speaker);
}

struct Case {
    const char* text;
    SmiErrorKind kind;
};

}  // namespace

TEST_CASE("each wording of nvidia-smi has its kind") {
    using K = SmiErrorKind;
    const Case c = GENERATE(values<Case>({
        {"NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make sure "
         "that the latest NVIDIA driver is installed and running.\n\n",
         K::driver_not_loaded},
        {"Failed to initialize NVML: Driver Not Loaded\n", K::driver_not_loaded},
        {"Failed to initialize NVML: Driver/library version mismatch\n", K::version_mismatch},
        {"Failed to initialize NVML: Driver/Library version mismatch\n", K::version_mismatch},
        {"Failed to initialize NVML: Unknown Error\n", K::nvml_unknown_error},
        {"No devices were found\n", K::no_devices},
        {"Failed to initialize NVML: No supported GPUs were found\n"
         "Unable to determine the number of GPUs\n",
         K::no_devices},
        {"Unable to determine the number of GPUs\n", K::nvml_unknown_error},
        {"NVIDIA-SMI couldn't find libnvidia-ml.so library in your system. Please make sure that "
         "the NVIDIA Display Driver is properly installed and present in your system.\n"
         "Please also try adding directory that contains libnvidia-ml.so to your system PATH.\n",
         K::library_missing},
        {"nvidia-smi: error while loading shared libraries: libnvidia-ml.so.1: cannot open shared "
         "object file: No such file or directory\n",
         K::library_missing},
        {"Failed to initialize NVML: Insufficient Permissions\n", K::insufficient_permissions},
        {"Failed to initialize NVML: GPU access blocked by the operating system\n"
         "Failed to properly shut down NVML: GPU access blocked by the operating system\n",
         K::blocked_by_os},
        {"WARNING: infoROM is corrupted at gpu 0000:67:00.0\n", K::inforom_corrupted},
        {"Unable to determine the device handle for GPU 0000:0B:00.0: Unknown Error\n",
         K::gpu_unreadable},
        {"Unable to determine the device handle for gpu 0000:01:00.0: Not Found\n",
         K::gpu_unreadable},
        {"Unable to determine the device handle for GPU 0000:05:00.0: GPU is lost.  Reboot the "
         "system to recover this GPU\n",
         K::gpu_lost},
        {"Unable to determine the device handle for GPU 0000:05:00.0: GPU requires reset\n",
         K::gpu_needs_reset},
        {"Unable to determine the device handle for GPU 0000:05:00.0: Insufficient Permissions\n",
         K::insufficient_permissions},
        {"bash: line 1: 25940 Segmentation fault      nvidia-smi\n", K::tool_crashed},
        {"bash: line 1: /opt/bin/nvidia-smi: Permission denied\n", K::tool_not_executable},
        {"/usr/bin/nvidia-smi: Input/output error\n", K::tool_not_executable},
        {"docker: Error response from daemon: OCI runtime create failed: nvidia-container-cli: "
         "initialization error: nvml error: insufficient permissions: unknown.\n",
         K::nvml_unknown_error},
    }));
    INFO(c.text);
    const Diagnosis diagnosis = read(c.text);
    REQUIRE(diagnosis.errors.size() == 1);
    CHECK(diagnosis.errors[0].kind == c.kind);
    CHECK_FALSE(diagnosis.tool_missing);
    CHECK_FALSE(diagnosis.field_refused);
    CHECK_FALSE(diagnosis.errors[0].quote.empty());
}

TEST_CASE("a GPU that an error names is kept by index and bus id") {
    const Diagnosis newest =
        read("Unable to determine the device handle for GPU1: 0000:34:00.0: Unknown Error\n");
    CHECK(newest.errors[0].gpu_index == 1);
    CHECK(newest.errors[0].pci_bus_id == "0000:34:00.0");
    const Diagnosis old =
        read("Unable to determine the device handle for GPU 00000000:0B:00.0: Unknown Error\n");
    CHECK_FALSE(old.errors[0].gpu_index);
    CHECK(old.errors[0].pci_bus_id == "00000000:0B:00.0");
    const Diagnosis mismatch = read("Failed to initialize NVML: Driver/library version mismatch\n");
    CHECK_FALSE(mismatch.errors[0].gpu_index);
    CHECK_FALSE(mismatch.errors[0].pci_bus_id);
}

TEST_CASE("the library version of a mismatch stays with it") {
    const Diagnosis diagnosis = read(
        "Failed to initialize NVML: Driver/library version mismatch\n"
        "NVML library version: 550.144\n");
    REQUIRE(diagnosis.errors.size() == 1);
    CHECK(diagnosis.errors[0].quote ==
          "Failed to initialize NVML: Driver/library version mismatch; NVML library version: "
          "550.144");
    CHECK(diagnosis.quote.empty());
}

TEST_CASE("every shell's words for a missing nvidia-smi are understood, with any status") {
    const std::string text = GENERATE(
        as<std::string>{}, "bash: line 1: nvidia-smi: command not found\n",
        "bash: nvidia-smi: command not found\n", "dash: 1: nvidia-smi: not found\n",
        "ash: nvidia-smi: not found\n",
        "fish: Unknown command: nvidia-smi\nnvidia-smi --query-gpu=index,memory.used "
        "--format=csv,noheader\n^~~~~~~~~^\n",
        "nvidia-smi: Command not found.\n", "zsh:1: command not found: nvidia-smi\n",
        "bash: line 1: /usr/bin/nvidia-smi: No such file or directory\n",
        "timeout: failed to run command \xe2\x80\x98nvidia-smi\xe2\x80\x99: No such file or "
        "directory\n",
        "'nvidia-smi' is not recognized as an internal or external command,\r\n"
        "operable program or batch file.\r\n");
    for (const int status : {1, 127}) {
        const Diagnosis diagnosis = read(text, status, Speaker::login_shell);
        CHECK(diagnosis.tool_missing);
        CHECK(diagnosis.errors.empty());
        CHECK_FALSE(diagnosis.quote.empty());
    }
}

TEST_CASE("another missing program or file is not a missing nvidia-smi") {
    const std::string text =
        GENERATE(as<std::string>{}, "/home/u/.bashrc: line 1: exec: zsh: not found\n",
                 "/home/u/.bashrc: line 5: /opt/ros/noetic/setup.bash: No such file or directory\n",
                 "Could not chdir to home directory /home/u: No such file or directory\n",
                 "CommandNotFoundError: Your shell has not been properly configured\n",
                 "Illegal variable name.\n", "This account is currently not available.\n", "");
    const Diagnosis diagnosis = read(text, 127, Speaker::login_shell);
    CHECK_FALSE(diagnosis.tool_missing);
    CHECK(diagnosis.errors.empty());
}

TEST_CASE("the status of nvidia-smi itself supports where no text was understood") {
    CHECK(read("", 127).tool_missing);
    CHECK(read("", 126).errors.at(0).kind == SmiErrorKind::tool_not_executable);
    CHECK(read("", 139).errors.at(0).kind == SmiErrorKind::tool_crashed);
    CHECK(read("", 134).errors.at(0).kind == SmiErrorKind::tool_crashed);
    CHECK(read("", 255).errors.empty());
    CHECK(read("", 9).errors.empty());
    CHECK(read("No devices were found\n", 139).errors.at(0).kind == SmiErrorKind::no_devices);
    CHECK(read("", 126, Speaker::login_shell).errors.empty());
    CHECK(read("", 139, Speaker::login_shell).errors.empty());
}

TEST_CASE("a refused field is no error of a GPU") {
    const Diagnosis diagnosis =
        read("Field \"device_minor\" is not a valid field to query.\n\n", 2);
    CHECK(diagnosis.field_refused);
    CHECK(diagnosis.errors.empty());
    CHECK(diagnosis.quote == "Field \"device_minor\" is not a valid field to query.");
    CHECK_FALSE(read("Field \"x\" is a valid field\n", 2).field_refused);
}

TEST_CASE("an error that is repeated counts once, two GPUs count twice") {
    CHECK(read("No devices were found\nNo devices were found\n").errors.size() == 1);
    CHECK(read("Unable to determine the device handle for GPU 0000:41:00.0: Unknown Error\n"
               "Unable to determine the device handle for GPU 0000:42:00.0: Unknown Error\n")
              .errors.size() == 2);
}

TEST_CASE("a flood of different errors is bounded") {
    std::string text;
    for (int i = 0; i < 200; ++i)
        text += "Unable to determine the device handle for GPU" + std::to_string(i) +
                ": 0000:41:00.0: Unknown Error\n";
    CHECK(read(text).errors.size() == 64);
}

TEST_CASE("lines nobody understands are quoted, made safe and short") {
    const Diagnosis diagnosis = read("\x1b[2Jhello\n\nworld\n", 1);
    CHECK(diagnosis.errors.empty());
    CHECK(diagnosis.quote.find('\x1b') == std::string::npos);
    CHECK_THAT(diagnosis.quote, ContainsSubstring("hello; world"));
    CHECK(read(std::string(100'000, 'x') + "\n").quote.size() < 400);
}

TEST_CASE("three cell texts are alarms, the others are not") {
    CHECK(alarm_in_cell("[GPU requires reset]") == SmiErrorKind::gpu_needs_reset);
    CHECK(alarm_in_cell("[GPU is lost]") == SmiErrorKind::gpu_lost);
    CHECK(alarm_in_cell("[Unknown Error]") == SmiErrorKind::gpu_unreadable);
    CHECK(alarm_in_cell("ERR!") == SmiErrorKind::gpu_unreadable);
    CHECK_FALSE(alarm_in_cell("[N/A]"));
    CHECK_FALSE(alarm_in_cell("[Not Supported]"));
    CHECK_FALSE(alarm_in_cell("[Insufficient Permissions]"));
    CHECK_FALSE(alarm_in_cell(""));
}

TEST_CASE("GNU timeout's and busybox's statuses mean that time ran out") {
    for (const int status : {124, 137, 143}) CHECK(is_timeout_status(status));
    for (const int status : {0, 1, 125, 126, 127, 139, 255}) CHECK_FALSE(is_timeout_status(status));
}
