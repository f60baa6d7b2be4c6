#pragma once

#include <string_view>

namespace gpumuster {

// The last part of the path of a process name, without its arguments.
std::string_view program_of(std::string_view process_name);

// Services that come with the driver and its monitoring: they hold a GPU open and do no work.
bool is_infrastructure(std::string_view process_name);

// Display servers, compositors and desktop shells.
bool is_display_server(std::string_view process_name);

// Boards whose memory is the system's, so that the driver gives no number for it.
bool has_unified_memory(std::string_view gpu_name);

// Boards whose memory is a NUMA node of the system: it may hold page cache.
bool has_numa_memory(std::string_view gpu_name);

// Boards that can be split into MIG instances.
bool can_be_split(std::string_view gpu_name);

}  // namespace gpumuster
