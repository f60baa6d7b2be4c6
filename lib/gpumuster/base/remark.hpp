#pragma once

#include <string>
#include <vector>

#include "gpumuster/base/failure.hpp"

namespace gpumuster {

// Something about the way to a host that its user should know although the way was open.
enum class RemarkKind {
    host_key_unverified,  // ssh_config switches checking off, and nobody knows this key
    host_key_added,       // a new key was accepted and written to known_hosts
    host_key_not_saved,   // a new key was accepted and could not be written
};

struct Remark {
    RemarkKind kind = RemarkKind::host_key_unverified;
    HopRef hop;
    std::string message;  // one line, made safe
};

// Keeps one of each kind and hop: a way may be gone several times.
void add_remark(std::vector<Remark>& remarks, Remark remark);

}  // namespace gpumuster
