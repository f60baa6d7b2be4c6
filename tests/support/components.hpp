#pragma once

#include <string>

namespace gpumuster::test {

// Whether a program that a test needs as a real part is here: found on PATH or in the sbin
// folders. GPUMUSTER_REQUIRE_COMPONENTS (a comma-separated list) names those that must be; there a
// missing one fails the test instead of skipping it.
bool has_component(const std::string& program);

// Prints the line that CTest counts as a skip, with the reason, and returns true when `program` is
// missing: `if (component_missing("tcsh")) return;`
bool component_missing(const std::string& program);

// The same for namespaces of one's own, for the network and for mounts: they need root, util-linux,
// iproute2 and a kernel that allows them. "namespaces" in GPUMUSTER_REQUIRE_COMPONENTS.
bool namespaces_missing();

// The full path of a program on PATH or in the sbin folders; empty when there is none.
std::string program_path(const std::string& program);

}  // namespace gpumuster::test
