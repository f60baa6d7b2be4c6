#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "gpumuster/transport/effective_settings.hpp"
#include "gpumuster/transport/ssh/key_ring.hpp"
#include "gpumuster/transport/target.hpp"
#include "gpumuster/transport/trust/known_hosts.hpp"

namespace gpumuster {

// What the hosts of a run are trusted and logged in with: read once, before anything is contacted,
// then shared by all loops.
class Credentials {
public:
    // For every target that goes through libssh. Throws InputError when a file that the user named
    // cannot be used; a default file that is not there is no error.
    explicit Credentials(std::span<const Target> targets);

    // The keys to offer, in order, usable or not.
    std::vector<const PrivateKey*> keys_of(const Login& login) const;

    KnownHosts& known_hosts_of(const Login& login);

private:
    void load_login(const Login& login);
    void load_keys(const Login& login);
    void load_known_hosts(const Login& login);
    std::shared_ptr<const KnownHostsFile> load_file(const std::string& path, bool is_explicit);
    void complain(const std::string& line);

    KeyRing keys_;
    std::map<std::string, std::shared_ptr<const KnownHostsFile>> files_;
    std::map<std::vector<std::string>, KnownHosts> known_hosts_;
    std::vector<std::string> errors_;
};

}  // namespace gpumuster
