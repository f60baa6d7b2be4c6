#include "support/components.hpp"

#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <sstream>

#include "support/catch.hpp"
#include "support/program.hpp"

namespace gpumuster::test {
namespace {

bool is_required(const std::string& program) {
    const char* list = std::getenv("GPUMUSTER_REQUIRE_COMPONENTS");
    std::istringstream names(list != nullptr ? list : "");
    for (std::string name; std::getline(names, name, ',');) {
        if (name == program) return true;
    }
    return false;
}

bool is_missing(const std::string& component, const std::string& reason) {
    if (is_required(component)) FAIL("required component missing: " << component << reason);
    std::cout << "[component missing] " << component << reason << ": this test did not run\n";
    return true;
}

// Empty: they can be made.
std::string trouble_with_namespaces() {
    if (geteuid() != 0) return " (not root)";
    for (const char* program : {"unshare", "nsenter", "setpriv", "ip"}) {
        if (!has_component(program)) return std::string(" (no ") + program + ")";
    }
    ProgramOrder order;
    order.argv = {program_path("unshare"),
                  "--net",
                  "--mount",
                  "/bin/sh",
                  "-c",
                  program_path("ip") + " link add near type veth peer name far"};
    const ProgramResult result = run_program(order);
    return result.status == 0 ? "" : " (" + result.err.substr(0, result.err.find('\n')) + ")";
}

}  // namespace

std::string program_path(const std::string& program) {
    const char* path = std::getenv("PATH");
    std::istringstream folders(std::string(path != nullptr ? path : "/usr/bin:/bin") +
                               ":/usr/local/sbin:/usr/sbin:/sbin");
    for (std::string folder; std::getline(folders, folder, ':');) {
        const std::string candidate = folder + "/" + program;
        if (access(candidate.c_str(), X_OK) == 0) return candidate;
    }
    return {};
}

bool has_component(const std::string& program) {
    return !program_path(program).empty();
}

bool component_missing(const std::string& program) {
    if (has_component(program)) return false;
    return is_missing(program, "");
}

bool namespaces_missing() {
    static const std::string trouble = trouble_with_namespaces();
    return !trouble.empty() && is_missing("namespaces", trouble);
}

}  // namespace gpumuster::test
