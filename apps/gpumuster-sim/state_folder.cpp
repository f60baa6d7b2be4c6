#include "gpumuster-sim/state_folder.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "gpumuster-sim/sockets.hpp"
#include "gpumuster/base/input_error.hpp"

namespace gpumuster::sim {
namespace {

[[noreturn]] void fail(const std::string& path) {
    throw InputError(path + ": cannot be written: " + std::strerror(errno));
}

// A fresh file of this mode from the start: a key must not be readable for a moment.
void write_file(const std::string& path, std::string_view text, mode_t mode) {
    unlink(path.c_str());
    const Descriptor file(open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode));
    if (!file) fail(path);
    while (!text.empty()) {
        const auto written = write(file.get(), text.data(), text.size());
        if (written < 0 && errno != EINTR) fail(path);
        if (written > 0) text.remove_prefix(static_cast<std::size_t>(written));
    }
}

}  // namespace

void write_state_folder(const SimulatedFleet& fleet, const std::string& folder) {
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    const std::string root = std::filesystem::absolute(folder, error).string();
    if (error) throw InputError(folder + ": cannot be made: " + error.message());
    const std::string key = root + "/key";
    const std::string known_hosts = root + "/known_hosts";
    write_file(key, fleet.private_key_text(), 0600);
    write_file(known_hosts, fleet.known_hosts_text(), 0644);
    write_file(root + "/inventory.yaml", fleet.inventory_text(key, known_hosts), 0644);
}

}  // namespace gpumuster::sim
