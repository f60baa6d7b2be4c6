#pragma once

#include <string>

#include "gpumuster/report/fleet_report.hpp"

namespace gpumuster {

// A finding as a list shows it: "GPU 0: used by pid 7", and what to do. Safe text.
struct FindingWords {
    std::string text;  // severity, unless it is an error; subject, unless it is the host; message
    std::string next_step;
};

FindingWords own_words(const Finding& finding);

// The words that stand for several hosts when those of each are equal. HOST takes the place of the
// host's name and address in next steps and failures; a remark about its key, which no other host
// shares, becomes what the catalogue says of its kind. What is said of a jump host is the same for
// all hosts behind it, and stays.
FindingWords shared_words(const HostReport& report, const Finding& finding);

}  // namespace gpumuster
