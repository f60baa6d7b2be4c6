#pragma once

#include <string>

#include "support/lxc_lab.hpp"

namespace gpumuster::test {

// Proxmox's pct as a script over the lab's containers, for a folder that is to be on PATH: `exec`
// and `status` with pct's own way with options, its texts, its changing exit statuses and the PATH
// that it hands on.
class Pct {
public:
    Pct(const LxcLab& lab, const std::string& folder);

    // As for a login that is not root's.
    void refuse_everybody() const;
    // How often it was run.
    std::size_t calls() const;

private:
    std::string folder_;
};

}  // namespace gpumuster::test
