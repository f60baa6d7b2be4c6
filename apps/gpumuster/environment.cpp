#include "environment.hpp"

#include <unistd.h>

#include <cstdlib>

namespace gpumuster {
namespace {

std::optional<std::string> config_home(const Environment& environment) {
    if (auto folder = environment.variable("XDG_CONFIG_HOME")) return folder;
    if (auto home = environment.variable("HOME")) return *home + "/.config";
    return {};
}

}  // namespace

Environment process_environment() {
    return {
        .variable = [](const std::string& name) -> std::optional<std::string> {
            const char* value = std::getenv(name.c_str());
            if (value == nullptr || *value == '\0') return {};
            return value;
        },
        .file_exists = [](const std::string& path) { return access(path.c_str(), F_OK) == 0; },
    };
}

std::optional<std::string> default_inventory(const Environment& environment) {
    if (auto named = environment.variable("GPUMUSTER_INVENTORY")) return named;
    const auto folder = config_home(environment);
    if (!folder) return {};
    std::string path = *folder + "/gpumuster/fleet.yaml";
    if (!environment.file_exists(path)) return {};
    return path;
}

}  // namespace gpumuster
