#pragma once

#include <map>
#include <string>
#include <vector>

#include "support/temp_dir.hpp"

namespace gpumuster::test {

// A copy of /etc with files of its own, seen only by the programs that are started through it.
// Needs root and mount namespaces; nothing of the system is changed.
class PrivateEtc {
public:
    // `files` by their path under /etc, such as "pam.d/sshd"; they replace what is there.
    explicit PrivateEtc(const std::map<std::string, std::string>& files);

    // The command line that runs `argv` with it; the process keeps its number.
    std::vector<std::string> around(std::vector<std::string> argv) const;

private:
    TempDir folder_;
};

}  // namespace gpumuster::test
