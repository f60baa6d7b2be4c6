#pragma once

#include <sys/stat.h>
#include <unistd.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "gpumuster/transport/trust/known_hosts.hpp"
#include "support/components.hpp"
#include "support/program.hpp"
#include "support/sshd.hpp"
#include "support/temp_dir.hpp"

namespace gpumuster::test {

// How the real ssh is asked about a host's key.
struct SshQuestion {
    HostKeyName host{"gpu1", 22};
    std::string alias;                    // HostKeyAlias
    std::string strict = "yes";           // StrictHostKeyChecking
    std::string algorithms;               // HostKeyAlgorithms; empty: ssh chooses by what is known
    std::vector<std::string> user_files;  // UserKnownHostsFile
    std::vector<std::string> global_files;  // GlobalKnownHostsFile
    bool hashes_names = false;              // HashKnownHosts
};

// A real sshd with an ed25519 and an ecdsa host key that the real ssh talks to through a pipe, so
// that it goes by any name and port and listens nowhere.
class PipedSshd {
public:
    // With names, the ed25519 key also has a certificate for them.
    explicit PipedSshd(const std::string& certified_names = {})
        : ed25519_(make_client_key(folder_, "host_ed25519", "ed25519")),
          ecdsa_(make_client_key(folder_, "host_ecdsa", "ecdsa")),
          authority_(make_client_key(folder_, "authority", "ed25519")) {
        // Where sshd drops its privileges; the package makes it when the service starts.
        if (::geteuid() == 0) ::mkdir("/run/sshd", 0755);
        std::string config = "HostKey " + ed25519_.path + "\nHostKey " + ecdsa_.path +
                             "\nPidFile none\nUsePAM no\nStrictModes no\nLogLevel QUIET\n"
                             "AuthorizedKeysFile none\n";
        if (!certified_names.empty()) {
            sign_key(authority_.path, ed25519_.path + ".pub", {"-h", "-n", certified_names});
            config += "HostCertificate " + ed25519_.path + "-cert.pub\n";
        }
        config_ = folder_.write("config", config);
    }

    // "ssh-ed25519 AAAA…"
    std::string ed25519() const { return without_comment(ed25519_.public_line); }
    std::string ecdsa() const { return without_comment(ecdsa_.public_line); }
    std::string authority() const { return without_comment(authority_.public_line); }

    // Whether ssh takes the host key; nobody may log in, so it ends there or just after.
    bool is_accepted_by_ssh(const SshQuestion& question) const {
        ProgramOrder order;
        order.argv = {"ssh", "-F", "/dev/null", "-p", std::to_string(question.host.port)};
        const auto set = [&](const std::string& option) {
            order.argv.insert(order.argv.end(), {"-o", option});
        };
        set("BatchMode=yes");
        set("PreferredAuthentications=none");
        set("UpdateHostKeys=no");
        set("ProxyCommand=" + program_path("sshd") + " -i -f " + config_);
        set("StrictHostKeyChecking=" + question.strict);
        set("UserKnownHostsFile=" + listed(question.user_files));
        set("GlobalKnownHostsFile=" + listed(question.global_files));
        set(std::string("HashKnownHosts=") + (question.hashes_names ? "yes" : "no"));
        if (!question.alias.empty()) set("HostKeyAlias=" + question.alias);
        if (!question.algorithms.empty()) set("HostKeyAlgorithms=" + question.algorithms);
        order.argv.insert(order.argv.end(), {question.host.address, "true"});
        const ProgramResult result = run_program(order);
        const auto says = [&](const char* text) {
            return result.err.find(text) != std::string::npos;
        };
        if (says("Host key verification failed")) return false;
        if (says("Permission denied")) return true;
        throw std::runtime_error("ssh says neither yes nor no: " + result.err);
    }

private:
    static std::string without_comment(const std::string& line) {
        return line.substr(0, line.find(' ', line.find(' ') + 1));
    }

    static std::string listed(const std::vector<std::string>& files) {
        std::string list;
        for (const std::string& file : files) list += (list.empty() ? "" : " ") + file;
        return list.empty() ? "/dev/null" : list;
    }

    TempDir folder_;
    ClientKey ed25519_;
    ClientKey ecdsa_;
    ClientKey authority_;
    std::string config_;
};

}  // namespace gpumuster::test
