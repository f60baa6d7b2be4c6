#include "gpumuster/verdict/catalogue.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

namespace gpumuster {
namespace {

using S = Severity;
using V = Verdict;

constexpr std::array kinds{
    FindingKind{"host.query_hung", S::error, V::hung,
                "nvidia-smi did not answer within its deadline",
                "look for Xid in the kernel log of {host}; a driver that hangs needs a reboot, a "
                "slow one a longer --command-timeout"},
    FindingKind{"host.query_stuck", S::error, V::hung,
                "an older nvidia-smi is stuck in the driver, so no new one was started",
                "the driver hangs; a process in state D cannot be killed: reboot {host}"},
    FindingKind{"host.shell_hung", S::error, V::hung,
                "the login shell did not start our script within the deadline",
                "look at the rc files and the home directory of this login on {host}, or give it "
                "more time: --command-timeout"},
    FindingKind{"host.driver_not_loaded", S::error, V::broken, "no kernel driver answers",
                "on {host}: sudo modprobe nvidia; if that fails, the kernel log says why"},
    FindingKind{"host.version_mismatch", S::error, V::broken,
                "the driver's library was updated under the loaded kernel module",
                "reboot {host}, or reload the nvidia modules once its jobs have ended"},
    FindingKind{"host.no_gpus", S::error, V::broken, "the driver sees no GPU",
                "on {host}: lspci -d 10de: shows whether the bus sees them, the kernel log why "
                "they did not start"},
    FindingKind{"host.library_missing", S::error, V::broken,
                "nvidia-smi does not find the driver's library",
                "on {host}: ldconfig -p | grep libnvidia-ml; install the driver's libraries, or "
                "set LD_LIBRARY_PATH for non-interactive logins"},
    FindingKind{"host.blocked_by_os", S::error, V::broken, "the operating system blocks the GPU",
                "in WSL: update Windows, its driver and the WSL kernel on the machine of {host}"},
    FindingKind{"host.nvml_error", S::error, V::broken, "the driver's library does not start",
                "in a container: restart it, it lost its devices; else look at the kernel log of "
                "{host}"},
    FindingKind{"host.tool_missing", S::error, V::broken, "there is no nvidia-smi",
                "install the driver's utilities on {host}, or set expect gpus: 0 where none are "
                "meant to be"},
    FindingKind{"host.tool_not_executable", S::error, V::broken, "nvidia-smi cannot be started",
                "on {host}: ls -l $(command -v nvidia-smi); an input/output error means that its "
                "disk or mount is lost"},
    FindingKind{"host.tool_crashed", S::error, V::broken, "nvidia-smi crashed",
                "reinstall the driver's utilities on {host} in the version of the module"},
    FindingKind{"gpu.lost", S::error, V::broken, "the driver has lost a GPU",
                "look for Xid 79 in the kernel log of {host}; the board needs a reboot, at worst a "
                "power cycle"},
    FindingKind{"gpu.needs_reset", S::error, V::broken, "the driver asks for a reset of a GPU",
                "end its jobs, then on {host}: sudo nvidia-smi --gpu-reset -i N; if that is "
                "refused, reboot"},
    FindingKind{"gpu.unreadable", S::error, V::broken, "a GPU does not answer the driver",
                "look for Xid in the kernel log of {host}; the board needs a reset or a reboot"},
    FindingKind{"gpu.index_gap", S::error, V::broken, "a GPU is missing from the numbering",
                "on {host}: nvidia-smi -L and the kernel log say which; it needs a reset or a "
                "reboot"},
    FindingKind{"host.gpu_count", S::error, V::degraded, "not the expected number of GPUs",
                "on {host}: lspci -d 10de: shows what the bus sees; correct expect gpus where the "
                "inventory is outdated"},
    FindingKind{"host.gpu_model", S::error, V::degraded, "not the expected model",
                "correct expect model in the inventory, or check that {host} is the right "
                "machine"},
    FindingKind{"gpu.memory.held", S::error, V::held,
                "memory above the idle floor whose owner cannot be seen from here",
                "on {host} as root: fuser -v /dev/nvidia* shows left-over workers and graphics "
                "clients"},
    FindingKind{"gpu.process_hidden", S::error, V::held,
                "a process uses the GPU, but it cannot be named from here",
                "look as root, and outside of the container if {host} is one: nvidia-smi"},
    FindingKind{"gpu.process", S::error, V::busy, "a process uses the GPU",
                "wait for it, or ask its user"},
    FindingKind{"gpu.graphics", S::error, V::busy,
                "more graphics memory than a display server's share",
                "on {host}: nvidia-smi lists its graphics clients (type G)"},
    FindingKind{"gpu.work_unseen", S::error, V::unknown,
                "the GPU was working a moment ago and no process explains it",
                "run it again in a few seconds: a job may just have ended, or works unseen"},
    FindingKind{"gpu.memory.unknown", S::error, V::unknown,
                "the driver gives no number for used memory",
                "ask as another user, or on the machine itself: nvidia-smi -q -d MEMORY"},
    FindingKind{"gpu.memory.numa", S::error, V::unknown,
                "memory in use that may be page cache: GPU memory is system memory there",
                "on {host}: numactl -H shows the free memory of the GPU's node"},
    FindingKind{"gpu.health.unread", S::error, V::unknown,
                "temperature, pstate or utilisation could not be read",
                "ask as another user, or outside of the container if {host} is one"},
    FindingKind{"host.insufficient_permissions", S::error, V::unknown,
                "this user may not ask the driver",
                "on {host}: ls -l /dev/nvidia*; use a login in their group, or root"},
    FindingKind{"host.query_failed", S::error, V::unknown,
                "nvidia-smi gave no answer that can be read",
                "run it by hand on {host}: nvidia-smi"},
    FindingKind{"host.query_partial", S::error, V::unknown,
                "nvidia-smi answered in part and failed", "run it by hand on {host}: nvidia-smi"},
    FindingKind{"host.answer_torn", S::error, V::unknown, "the answer ended in the middle",
                "run it again for this host"},
    FindingKind{"host.killed", S::error, V::unknown, "the command was ended by a signal",
                "look at the memory and the limits of this login on {host}, then run it again"},
    FindingKind{"host.restricted_shell", S::error, V::unknown, "the login runs no commands of ours",
                "use a login with a shell, or a key without a forced command"},
    FindingKind{"health.refused", S::error, V::unknown,
                "only index and memory could be asked, which cannot show health",
                "update the driver or use a login that runs /bin/sh; --probe minimal accepts "
                "memory alone"},
    FindingKind{"health.not_read", S::warning, V::clean,
                "--probe minimal reads memory only: a GPU that needs a reset looks free",
                "leave out --probe minimal to read health and processes as well"},
    FindingKind{"processes.not_listed", S::warning, V::clean,
                "the process list is missing or incomplete",
                "on {host} as root: fuser -v /dev/nvidia*"},
    FindingKind{"hostkey.unverified", S::warning, V::clean,
                "ssh_config switches host key checking off, and no known_hosts knew the key",
                "compare the fingerprint with the host's own, then: ssh -o "
                "StrictHostKeyChecking=ask {ssh}"},
    FindingKind{"hostkey.not_saved", S::warning, V::clean,
                "a new host key was accepted, and could not be written to known_hosts",
                "let this user write known_hosts: until then every run meets the host as a new "
                "one"},
    FindingKind{"gpu.inforom", S::warning, V::clean,
                "the board's own configuration memory is corrupted",
                "its data are valid; have the board checked when jobs fail on it"},
    FindingKind{"host.gpu_model_unread", S::warning, V::clean,
                "the expected model could not be compared",
                "leave out --probe minimal to read the names of the GPUs"},
    FindingKind{"hostkey.added", S::info, V::clean,
                "a new host key was accepted and written to known_hosts", "nothing to do"},
    FindingKind{"host.no_gpus_expected", S::info, V::clean, "no GPU, as expected", "nothing to do"},
    FindingKind{"gpu.infrastructure", S::info, V::clean,
                "a monitoring or driver service is listed as a process; it is not counted",
                "nothing to do"},
    FindingKind{"gpu.display", S::info, V::clean, "a display server explains the memory in use",
                "nothing to do"},
    FindingKind{"gpu.mig", S::info, V::clean,
                "no utilisation, as with MIG on: only memory and processes show work",
                "nothing to do"},
    FindingKind{"gpu.memory.unified", S::info, V::clean,
                "the GPU shares the system's memory and has no number of its own", "nothing to do"},
};

}  // namespace

std::span<const FindingKind> catalogue() {
    return kinds;
}

const FindingKind& finding_kind(std::string_view code) {
    const auto row = std::find_if(kinds.begin(), kinds.end(),
                                  [&](const FindingKind& kind) { return kind.code == code; });
    if (row == kinds.end()) throw std::logic_error("no finding " + std::string(code));
    return *row;
}

}  // namespace gpumuster
