#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "gpumuster/base/input_error.hpp"
#include "gpumuster/base/safe_text.hpp"
#include "gpumuster/inventory/inventory.hpp"

namespace gpumuster {
namespace {

constexpr std::size_t max_file_bytes = 64 * 1024 * 1024;

std::string read_to_end(std::FILE* file, const std::string& name) {
    std::string text;
    char chunk[64 * 1024];
    while (const std::size_t count = std::fread(chunk, 1, sizeof chunk, file)) {
        text.append(chunk, count);
        if (text.size() > max_file_bytes) {
            throw InputError(fmt::format("{} is larger than 64 MiB, the most that is accepted",
                                         make_safe(name)));
        }
    }
    if (std::ferror(file) != 0) {
        throw InputError(fmt::format("cannot read {}: {}", make_safe(name), std::strerror(errno)));
    }
    return text;
}

struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
};

std::string read_file(const std::string& path) {
    const std::unique_ptr<std::FILE, Close> file(std::fopen(path.c_str(), "rb"));
    if (!file) {
        throw InputError(fmt::format("cannot read {}: {}", make_safe(path), std::strerror(errno)));
    }
    return read_to_end(file.get(), path);
}

// What a path written in an inventory means, seen from where the program runs.
class PathResolver {
public:
    explicit PathResolver(std::filesystem::path folder) : folder_(std::move(folder)) {
        const char* home = std::getenv("HOME");
        if (home != nullptr) home_ = home;
    }

    void resolve(HostSettings& settings) const {
        resolve(settings.identities);
        resolve(settings.known_hosts);
        if (!settings.jump) return;
        for (Hop& hop : *settings.jump) {
            resolve(hop.identities);
            resolve(hop.known_hosts);
        }
    }

private:
    void resolve(std::vector<std::string>& paths) const {
        for (std::string& path : paths) path = resolved(path);
    }

    std::string resolved(const std::string& path) const {
        if (path.rfind("~/", 0) != 0) return (folder_ / path).string();
        if (home_.empty()) {
            throw InputError(fmt::format("{}: ~/ stands for $HOME, which is not set", path));
        }
        return (home_ / path.substr(2)).string();
    }

    std::filesystem::path folder_;
    std::filesystem::path home_;
};

}  // namespace

Inventory load_inventory_file(const std::string& path) {
    const bool is_stdin = path == "-";
    const std::string name = is_stdin ? "<stdin>" : path;
    const std::string text = is_stdin ? read_to_end(stdin, name) : read_file(path);
    Inventory inventory = load_inventory(text, name);
    const PathResolver paths(is_stdin ? "" : std::filesystem::path(path).parent_path());
    for (Host& host : inventory.hosts) paths.resolve(host.settings);
    return inventory;
}

}  // namespace gpumuster
