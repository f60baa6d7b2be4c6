#include "gpumuster/transport/ssh/key_ring.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

namespace gpumuster {
namespace {

// libssh asks for a passphrase only when the file is encrypted; declining tells us so.
int decline_passphrase(const char*, char*, std::size_t, int, int, void* was_asked) {
    *static_cast<bool*>(was_asked) = true;
    return -1;
}

}  // namespace

std::string PrivateKey::trouble() const {
    switch (state) {
        case State::loaded:
            return {};
        case State::missing:
            return fmt::format("{} does not exist", path);
        case State::unreadable:
            return fmt::format("{} cannot be read", path);
        case State::permissions_too_open:
            return fmt::format("{} can be read by others (chmod 600 {})", path, path);
        case State::encrypted:
            return fmt::format("{} is encrypted", path);
        case State::unsupported:
            return fmt::format("{} is no private key that libssh can use", path);
    }
    return {};
}

PrivateKey load_private_key(const std::string& path) {
    PrivateKey result;
    result.path = path;
    struct stat info {};
    if (::stat(path.c_str(), &info) != 0) return result;
    if (!S_ISREG(info.st_mode) || ::access(path.c_str(), R_OK) != 0) {
        result.state = PrivateKey::State::unreadable;
        return result;
    }
    if (info.st_uid == ::getuid() && (info.st_mode & 077) != 0) {
        result.state = PrivateKey::State::permissions_too_open;
        return result;
    }
    bool was_asked = false;
    ssh_key key = nullptr;
    const int code =
        ::ssh_pki_import_privkey_file(path.c_str(), nullptr, decline_passphrase, &was_asked, &key);
    if (code != SSH_OK) {
        result.state = was_asked ? PrivateKey::State::encrypted : PrivateKey::State::unsupported;
        return result;
    }
    result.key.reset(key, ::ssh_key_free);
    result.state = PrivateKey::State::loaded;
    return result;
}

const PrivateKey& KeyRing::load(const std::string& path) {
    const auto found = keys_.find(path);
    if (found != keys_.end()) return found->second;
    return keys_.emplace(path, load_private_key(path)).first->second;
}

}  // namespace gpumuster
