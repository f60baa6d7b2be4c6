#include "gpumuster/verdict/known_programs.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include "gpumuster/probe/csv.hpp"

namespace gpumuster {
namespace {

using namespace std::string_view_literals;

constexpr std::array infrastructure{
    "nv-hostengine"sv,           "nvidia-persistenced"sv,
    "dcgm-exporter"sv,           "nvidia-cuda-mps-server"sv,
    "nvidia-cuda-mps-control"sv, "nvidia-device-plugin"sv,
    "nvidia-fabricmanager"sv,    "nv-fabricmanager"sv,
    "nvidia_gpu_exporter"sv,     "nvidia_gpu_prometheus_exporter"sv,
    "nvidia-powerd"sv,
};

constexpr std::array display_servers{
    "Xorg"sv,          "X"sv,
    "Xwayland"sv,      "gnome-shell"sv,
    "mutter"sv,        "kwin_wayland"sv,
    "kwin_x11"sv,      "plasmashell"sv,
    "weston"sv,        "sway"sv,
    "Hyprland"sv,      "wayfire"sv,
    "labwc"sv,         "sddm"sv,
    "sddm-greeter"sv,  "lightdm"sv,
    "gdm-x-session"sv, "xfwm4"sv,
    "cinnamon"sv,      "muffin"sv,
    "marco"sv,         "compiz"sv,
    "picom"sv,         "dwm.exe"sv,
};

constexpr std::array unified_boards{
    "GB10"sv, "N1X"sv, "Orin"sv, "Xavier"sv, "Thor"sv, "Tegra"sv, "nvgpu"sv,
};
constexpr std::array numa_boards{"GH200"sv, "GB200"sv, "GB300"sv};
constexpr std::array mig_boards{
    "A30"sv,  "A100"sv,  "A800"sv, "H20"sv,  "H100"sv,  "H200"sv,
    "H800"sv, "GH200"sv, "B200"sv, "B300"sv, "GB200"sv, "GB300"sv,
};

// /proc/PID/comm, which some drivers show, is cut after 15 bytes.
bool is_program(std::string_view program, std::string_view known) {
    constexpr std::size_t comm_length = 15;
    if (program.size() == comm_length) known = known.substr(0, comm_length);
    return program == known;
}

template <class Programs>
bool is_any_program(std::string_view process_name, const Programs& programs) {
    const std::string_view program = program_of(process_name);
    return std::any_of(programs.begin(), programs.end(),
                       [&](std::string_view known) { return is_program(program, known); });
}

bool is_letter_or_digit(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// Whole words only: GB10 is no GB100, A30 no A3000.
bool contains_word(std::string_view text, std::string_view word) {
    const std::size_t at = find_ignoring_case(text, word);
    if (at == std::string_view::npos) return false;
    const std::size_t end = at + word.size();
    return (at == 0 || !is_letter_or_digit(text[at - 1])) &&
           (end == text.size() || !is_letter_or_digit(text[end]));
}

template <class Boards>
bool is_any_board(std::string_view gpu_name, const Boards& boards) {
    return std::any_of(boards.begin(), boards.end(),
                       [&](std::string_view board) { return contains_word(gpu_name, board); });
}

}  // namespace

std::string_view program_of(std::string_view process_name) {
    const std::string_view path = process_name.substr(0, process_name.find(' '));
    const std::size_t slash = path.find_last_of("/\\");
    return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

bool is_infrastructure(std::string_view process_name) {
    return is_any_program(process_name, infrastructure);
}

bool is_display_server(std::string_view process_name) {
    return is_any_program(process_name, display_servers);
}

bool has_unified_memory(std::string_view gpu_name) {
    return is_any_board(gpu_name, unified_boards);
}

bool has_numa_memory(std::string_view gpu_name) {
    return is_any_board(gpu_name, numa_boards);
}

bool can_be_split(std::string_view gpu_name) {
    return is_any_board(gpu_name, mig_boards);
}

}  // namespace gpumuster
