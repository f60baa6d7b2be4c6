#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "support/fake_smi.hpp"
#include "support/program.hpp"
#include "support/temp_dir.hpp"

namespace gpumuster::test {

struct SshdOptions {
    std::optional<FakeSmi> smi;  // empty: no nvidia-smi on PATH
    std::string authorized_key;  // a public key line; empty: nobody may log in
    std::string extra_config;    // lines of sshd_config
};

// A real OpenSSH sshd on a loopback port with a host key of its own. The login's PATH begins with
// a folder that holds the fake nvidia-smi, and its home is an empty folder.
class Sshd {
public:
    explicit Sshd(const SshdOptions& options);

    std::uint16_t port() const { return port_; }
    // "[127.0.0.1]:port ssh-ed25519 AAAA…" for known_hosts.
    std::string known_hosts_line() const;
    std::string log() const { return read_file(folder_.file("log")); }
    const std::string& home() const { return home_; }
    const std::string& bin() const { return bin_; }

private:
    void write_config(const SshdOptions& options);

    TempDir folder_;
    std::string home_;
    std::string bin_;
    std::uint16_t port_ = 0;
    std::unique_ptr<BackgroundProgram> process_;
};

// A client key pair made by ssh-keygen.
struct ClientKey {
    std::string path;
    std::string public_line;
};
ClientKey make_client_key(const TempDir& folder, const std::string& name,
                          const std::string& type = "ed25519");

std::string current_user();

}  // namespace gpumuster::test
