#include "gpumuster/probe/driver_section.hpp"

#include <algorithm>

#include "gpumuster/probe/csv.hpp"

namespace gpumuster {
namespace {

// "550.54.14", "595.80"
bool is_version(std::string_view word) {
    return word.size() <= 20 && word.find('.') != std::string_view::npos && word.front() != '.' &&
           word.back() != '.' && std::all_of(word.begin(), word.end(), [](char c) {
               return c == '.' || (c >= '0' && c <= '9');
           });
}

// "NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.54.14  Thu Feb 22 01:44:30 UTC 2024" and
// "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  570.86.15  Release Build  (…)".
void read_driver(const Section& section, HostReadings& readings) {
    std::string_view text = section.out;
    const std::size_t start = text.find("Kernel Module");
    if (start == std::string_view::npos) return;
    text.remove_prefix(start);
    text = text.substr(0, text.find('\n'));
    while (!text.empty()) {
        const std::string_view word = text.substr(0, text.find(' '));
        text.remove_prefix(std::min(word.size() + 1, text.size()));
        if (word.empty() || !is_version(word)) continue;
        readings.kernel_driver_version = std::string(word);
        return;
    }
}

}  // namespace

SectionKind driver_section() {
    return {"driver", "",
            "r=1;if [ -r /proc/driver/nvidia/version ];then "
            "read -r v </proc/driver/nvidia/version;echo \"$v\";r=0;fi",
            read_driver};
}

}  // namespace gpumuster
