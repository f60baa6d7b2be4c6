#include "environment.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace gpumuster {
namespace {

std::optional<std::string> config_home(const Environment& environment) {
    if (auto folder = environment.variable("XDG_CONFIG_HOME")) return folder;
    if (auto home = environment.variable("HOME")) return *home + "/.config";
    return {};
}

std::optional<std::string> reading_fault(const std::string& path) {
    // Without O_NONBLOCK a named pipe that nobody writes to would be waited for.
    const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) return std::strerror(errno);
    struct stat status {};
    const bool is_known = fstat(fd, &status) == 0;
    close(fd);
    if (!is_known || S_ISREG(status.st_mode) || S_ISCHR(status.st_mode)) return {};
    if (S_ISDIR(status.st_mode)) return std::strerror(EISDIR);
    return "it can be read only once; write what it says into a file";
}

bool is_program(const std::string& path) {
    struct stat status {};
    const bool is_file = stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
    return is_file && access(path.c_str(), X_OK) == 0;
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
        .reading_fault = reading_fault,
        .is_program = is_program,
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
