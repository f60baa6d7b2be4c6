#pragma once

#include <string>
#include <string_view>

#include "gpumuster/probe/frame.hpp"
#include "gpumuster/probe/readings.hpp"

namespace gpumuster {

// One section of a script: what runs on the target stands beside what reads its output, so that
// the two cannot drift.
//
// `body` is POSIX shell in printable ASCII without ', ! and \, and leaves its exit status in $r.
// It may use
//     $t  "timeout -k 2 N" or nothing: stands before every command that may hang
//     $s  not empty once nothing more may be asked of the driver
// and must never wait for a driver command through $( ) or a pipe: a survivor in state D holds it
// after timeout gave up.
struct SectionKind {
    std::string_view name;
    std::string_view condition;  // a shell command; empty: the section always runs
    std::string body;
    void (*read)(const Section& section, HostReadings& readings);
};

}  // namespace gpumuster
