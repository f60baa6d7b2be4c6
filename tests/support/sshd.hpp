#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "support/fake_smi.hpp"
#include "support/network_lab.hpp"
#include "support/private_etc.hpp"
#include "support/program.hpp"
#include "support/temp_dir.hpp"

namespace gpumuster::test {

// An account that only this sshd knows, beside those of the system. It is another name of root's,
// so that its home and keys can lie in a folder that nobody else may enter.
struct SshdAccount {
    std::string name;
    std::string authorized_key;
    std::string shell = "/bin/sh";
};

struct SshdOptions {
    std::optional<FakeSmi> smi;  // empty: no nvidia-smi on PATH
    std::string authorized_key;  // a public key line; empty: nobody may log in
    std::string extra_config;    // lines of sshd_config
    std::string first_config;    // lines that win over those of ours

    std::vector<std::string> host_key_types{"ed25519"};
    // The private key of a certificate authority, and the names that it vouches for: the first host
    // key gets a certificate.
    std::string host_authority;
    std::string host_principals;

    // Where it listens: on every address of a machine, or on loopback.
    const Machine* machine = nullptr;
    std::uint16_t port = 0;  // 0: 22 on a machine, else one that is free

    // Both need root and namespaces.
    std::vector<SshdAccount> accounts;
    std::map<std::string, std::string> etc_files;  // see PrivateEtc
};

// A real OpenSSH sshd with host keys of its own. The login's PATH begins with a folder that holds
// the fake nvidia-smi, and its home is an empty folder.
class Sshd {
public:
    explicit Sshd(const SshdOptions& options);
    ~Sshd();
    Sshd(const Sshd&) = delete;
    Sshd& operator=(const Sshd&) = delete;

    std::uint16_t port() const { return port_; }
    // "ssh-ed25519 AAAA…"; empty type: the first host key.
    std::string host_key(const std::string& type = {}) const;
    // "[127.0.0.1]:port ssh-ed25519 AAAA…" for known_hosts.
    std::string known_hosts_line() const;
    // The same under another address, or for a host key of another type.
    std::string known_hosts_line(const std::string& address, const std::string& type = {}) const;
    std::string log() const { return read_file(folder_.file("log")); }
    // How many lines of the log hold the text.
    std::size_t times_logged(const std::string& text) const;
    // Waits, up to ten seconds, until that many lines of the log hold the text.
    bool wait_until_logged(const std::string& text, std::size_t times = 1) const;
    const std::string& home() const { return home_; }
    const std::string& bin() const { return bin_; }
    int pid() const { return process_->pid(); }

    // Ends it at once, with every connection it has.
    void kill();

private:
    void make_host_keys(const SshdOptions& options);
    void write_accounts(const SshdOptions& options);
    void write_config(const SshdOptions& options);
    void start(const SshdOptions& options);

    TempDir folder_;
    std::string home_;
    std::string bin_;
    std::uint16_t port_ = 0;
    std::vector<std::string> host_key_types_;
    std::unique_ptr<PrivateEtc> etc_;
    std::unique_ptr<BackgroundProgram> process_;
};

// A client key pair made by ssh-keygen.
struct ClientKey {
    std::string path;
    std::string public_line;
};
ClientKey make_client_key(const TempDir& folder, const std::string& name,
                          const std::string& type = "ed25519", const std::string& passphrase = {});

// Signs `public_key_file`, so that KEY-cert.pub appears beside it. `arguments` are those of
// ssh-keygen: {"-n", "root"}, {"-h", "-n", "gpu1"}.
void sign_key(const std::string& authority, const std::string& public_key_file,
              const std::vector<std::string>& arguments);

std::string current_user();

}  // namespace gpumuster::test
