#include "support/components.hpp"

#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <sstream>

#include "support/catch.hpp"

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
    if (is_required(program)) FAIL("required component missing: " << program);
    std::cout << "[component missing] " << program << ": this test did not run\n";
    return true;
}

}  // namespace gpumuster::test
