#include "support/private_etc.hpp"

#include <filesystem>

#include "support/components.hpp"

namespace gpumuster::test {
namespace {

// What programs, logins and shells read. The whole of /etc can be large.
constexpr const char* copied[] = {
    "passwd",      "group",        "shadow",          "nsswitch.conf", "hosts",     "resolv.conf",
    "ld.so.cache", "localtime",    "profile",         "profile.d",     "pam.d",     "security",
    "login.defs",  "shells",       "environment",     "bash.bashrc",   "csh.cshrc", "zsh",
    "services",    "alternatives", "ssl/openssl.cnf", "gai.conf",      "ld.so.conf"};

}  // namespace

// Whole folders, not mounts over single files: whoever renames such a file in the real /etc, as
// useradd does, would take the mount away.
PrivateEtc::PrivateEtc(const std::map<std::string, std::string>& files) {
    namespace fs = std::filesystem;
    fs::permissions(folder_.path(), fs::perms(0755));
    for (const char* name : copied) {
        const fs::path from = fs::path("/etc") / name;
        std::error_code is_missing;
        if (!fs::exists(from, is_missing)) continue;
        const fs::path to = folder_.file(name);
        fs::create_directories(to.parent_path());
        const auto options = fs::copy_options::recursive | fs::copy_options::copy_symlinks;
        if (fs::is_symlink(from) && !fs::is_directory(from)) {
            fs::copy_file(fs::canonical(from), to);
        } else {
            fs::copy(from, to, options);
        }
    }
    for (const auto& [name, text] : files) {
        fs::create_directories(fs::path(folder_.file(name)).parent_path());
        fs::remove(folder_.file(name));
        folder_.write(name, text, 0644);
    }
}

std::vector<std::string> PrivateEtc::around(std::vector<std::string> argv) const {
    argv.insert(argv.begin(),
                {program_path("unshare"), "--mount", "--propagation", "private", "/bin/sh", "-c",
                 R"(mount --bind "$0" /etc && exec "$@")", folder_.path()});
    return argv;
}

}  // namespace gpumuster::test
