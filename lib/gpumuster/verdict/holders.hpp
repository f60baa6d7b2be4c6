#pragma once

#include <cstdint>
#include <vector>

#include "gpumuster/probe/readings.hpp"

namespace gpumuster {

// What a listed process is to its GPU.
enum class HolderRole {
    user,            // uses the GPU
    infrastructure,  // of the driver or its monitoring
    display,         // a display server or compositor
    unseen,          // cannot be named: it runs in another PID namespace or is hidden from us
    ended,           // a zombie without a live thread: holds nothing
};

struct Holder {
    const ProcessReading* process = nullptr;
    const ProcessOwner* owner = nullptr;  // or none
    HolderRole role = HolderRole::user;
    int gpu_index = -1;  // -1: of no GPU that answered
};

// The listed processes with the GPU that each is on. Points into the readings.
std::vector<Holder> find_holders(const HostReadings& readings);

// The indices of GPUs on which a process is listed that hides its pid; -1 for a GPU that did not
// answer.
std::vector<int> find_hidden(const HostReadings& readings);

}  // namespace gpumuster
