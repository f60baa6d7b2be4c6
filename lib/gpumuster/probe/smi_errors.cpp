#include "gpumuster/probe/smi_errors.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include "gpumuster/base/safe_text.hpp"
#include "gpumuster/probe/csv.hpp"

namespace gpumuster {
namespace {

using K = SmiErrorKind;

struct Wording {
    std::string_view part;
    SmiErrorKind kind;
};

// The first that matches decides, so that the particular stands before the general.
constexpr std::array wordings{
    Wording{"version mismatch", K::version_mismatch},
    Wording{"couldn't communicate with the nvidia driver", K::driver_not_loaded},
    Wording{"driver not loaded", K::driver_not_loaded},
    Wording{"no devices were found", K::no_devices},
    Wording{"no supported gpus were found", K::no_devices},
    Wording{"couldn't find libnvidia-ml", K::library_missing},
    Wording{"error while loading shared libraries", K::library_missing},
    Wording{"access blocked by the operating system", K::blocked_by_os},
    Wording{"inforom is corrupted", K::inforom_corrupted},
    Wording{"gpu is lost", K::gpu_lost},
    Wording{"requires reset", K::gpu_needs_reset},
    Wording{"failed to initialize nvml: insufficient permissions", K::insufficient_permissions},
    Wording{"failed to initialize nvml", K::nvml_unknown_error},
    Wording{"nvml error", K::nvml_unknown_error},
};

// Lines that only repeat in other words what another line says.
constexpr std::array companions{
    std::string_view{"unable to determine the number of gpus"},
    std::string_view{"failed to properly shut down nvml"},
    std::string_view{"please also try adding directory that contains libnvidia-ml"},
};

// What shells, timeout and env say when they cannot start the program that the line names.
constexpr std::array missing_wordings{
    std::string_view{"not found"},
    std::string_view{"unknown command"},
    std::string_view{"is not recognized"},
    std::string_view{"no such file or directory"},
};
constexpr std::array not_executable_wordings{
    std::string_view{"permission denied"},
    std::string_view{"input/output error"},
    std::string_view{"exec format error"},
    std::string_view{"cannot execute"},
};
constexpr std::array crash_wordings{
    std::string_view{"segmentation fault"},
    std::string_view{"bus error"},
    std::string_view{"illegal instruction"},
    std::string_view{"aborted"},
};

template <class Words>
bool contains_any(std::string_view line, const Words& words) {
    return std::any_of(words.begin(), words.end(),
                       [&](std::string_view word) { return contains_ignoring_case(line, word); });
}

bool is_hex(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

// "0000:41:00.0" or "00000000:41:00.0", found by its shape.
std::optional<std::string> find_bus_id(std::string_view line) {
    constexpr std::size_t length_after_domain = 8;  // ":41:00.0"
    for (std::size_t at = line.find(':'); at != std::string_view::npos;
         at = line.find(':', at + 1)) {
        if (at + length_after_domain > line.size()) return {};
        const std::string_view tail = line.substr(at, length_after_domain);
        if (tail[3] != ':' || tail[6] != '.') continue;
        if (!is_hex(tail[1]) || !is_hex(tail[2]) || !is_hex(tail[4]) || !is_hex(tail[5])) continue;
        std::size_t first = at;
        while (first > 0 && at - first < 8 && is_hex(line[first - 1])) --first;
        if (at - first == 4 || at - first == 8)
            return std::string(line.substr(first, at - first + length_after_domain));
    }
    return {};
}

// The newest wording is "… for GPU1: 0000:34:00.0: …"; older ones have a blank and no index.
std::optional<int> find_index(std::string_view line) {
    constexpr std::string_view before = "device handle for gpu";
    const std::size_t found = find_ignoring_case(line, before);
    if (found == std::string_view::npos) return {};
    line.remove_prefix(found + before.size());
    const auto index = parse_number(line.substr(0, line.find(':')), 0, highest_gpu_index);
    return index ? std::optional<int>(static_cast<int>(*index)) : std::nullopt;
}

SmiErrorKind device_handle_kind(std::string_view line) {
    if (contains_ignoring_case(line, "gpu is lost")) return K::gpu_lost;
    if (contains_ignoring_case(line, "requires reset")) return K::gpu_needs_reset;
    if (contains_ignoring_case(line, "insufficient permissions"))
        return K::insufficient_permissions;
    return K::gpu_unreadable;
}

std::optional<SmiErrorKind> tool_kind(std::string_view line) {
    if (!contains_ignoring_case(line, "nvidia-smi")) return {};
    if (contains_any(line, not_executable_wordings)) return K::tool_not_executable;
    if (contains_any(line, crash_wordings)) return K::tool_crashed;
    return {};
}

std::optional<SmiErrorKind> kind_of(std::string_view line) {
    if (contains_ignoring_case(line, "unable to determine the device handle"))
        return device_handle_kind(line);
    for (const Wording& wording : wordings) {
        if (contains_ignoring_case(line, wording.part)) return wording.kind;
    }
    return tool_kind(line);
}

class Diagnostician {
public:
    void read(std::string_view line) {
        if (trim(line).empty()) return;
        if (contains_ignoring_case(line, "is not a valid field to query")) {
            diagnosis_.field_refused = true;
            add_quote(line);
        } else if (contains_ignoring_case(line, "NVML library version") &&
                   !diagnosis_.errors.empty()) {
            diagnosis_.errors.back().quote += "; " + quote_line(line, 60);
        } else if (contains_any(line, companions)) {
            companion_seen_ = true;
            if (companion_quote_.empty()) companion_quote_ = quote_line(line);
        } else if (const auto kind = kind_of(line)) {
            add({*kind, find_index(line), find_bus_id(line), quote_line(line)});
        } else if (contains_ignoring_case(line, "nvidia-smi") &&
                   contains_any(line, missing_wordings)) {
            diagnosis_.tool_missing = true;
            add_quote(line);
        } else {
            add_quote(line);
        }
    }

    Diagnosis finish(std::optional<int> status, Speaker speaker) {
        if (diagnosis_.errors.empty() && companion_seen_)
            add({K::nvml_unknown_error, {}, {}, companion_quote_});
        if (status && speaker == Speaker::nvidia_smi) support(*status);
        return std::move(diagnosis_);
    }

private:
    void support(int status) {
        if (status == 127) diagnosis_.tool_missing = true;
        if (!diagnosis_.errors.empty() || diagnosis_.tool_missing) return;
        if (status == 126) add({K::tool_not_executable, {}, {}, diagnosis_.quote});
        // 128 and the signal: SIGILL, SIGABRT, SIGBUS, SIGSEGV.
        if (status == 132 || status == 134 || status == 135 || status == 139)
            add({K::tool_crashed, {}, {}, diagnosis_.quote});
    }

    void add(SmiError error) {
        constexpr std::size_t most_errors = 64;
        if (diagnosis_.errors.size() >= most_errors) return;
        const bool is_known = std::any_of(
            diagnosis_.errors.begin(), diagnosis_.errors.end(), [&](const SmiError& known) {
                return known.kind == error.kind && known.gpu_index == error.gpu_index &&
                       known.pci_bus_id == error.pci_bus_id;
            });
        if (!is_known) diagnosis_.errors.push_back(std::move(error));
    }

    void add_quote(std::string_view line) {
        constexpr std::size_t enough = 120;
        if (diagnosis_.quote.size() >= enough) return;
        if (!diagnosis_.quote.empty()) diagnosis_.quote += "; ";
        diagnosis_.quote += quote_line(line);
    }

    Diagnosis diagnosis_;
    bool companion_seen_ = false;
    std::string companion_quote_;
};

}  // namespace

Diagnosis diagnose(std::span<const std::string_view> lines, std::optional<int> exit_status,
                   Speaker speaker) {
    Diagnostician diagnostician;
    for (const std::string_view line : lines) diagnostician.read(line);
    return diagnostician.finish(exit_status, speaker);
}

std::optional<SmiErrorKind> alarm_in_cell(std::string_view cell) {
    if (contains_ignoring_case(cell, "requires reset")) return K::gpu_needs_reset;
    if (contains_ignoring_case(cell, "gpu is lost")) return K::gpu_lost;
    if (contains_ignoring_case(cell, "unknown error") || equals_ignoring_case(cell, "ERR!"))
        return K::gpu_unreadable;
    return {};
}

bool is_timeout_status(int exit_status) {
    return exit_status == 124 || exit_status == 137 || exit_status == 143;
}

}  // namespace gpumuster
