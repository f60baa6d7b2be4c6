#include "support/sshd.hpp"

#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <stdexcept>

#include "support/components.hpp"
#include "support/listener.hpp"

namespace gpumuster::test {
namespace {

void make_key(const std::string& path, const std::string& type) {
    ProgramOrder order;
    order.argv = {"ssh-keygen", "-q", "-t", type, "-N", "", "-C", "test", "-f", path};
    const ProgramResult result = run_program(order);
    if (result.status != 0) throw std::runtime_error("ssh-keygen: " + result.err);
}

std::string first_line(const std::string& text) {
    return text.substr(0, text.find('\n'));
}

}  // namespace

std::string current_user() {
    const passwd* entry = ::getpwuid(::getuid());
    return entry != nullptr ? entry->pw_name : "root";
}

ClientKey make_client_key(const TempDir& folder, const std::string& name, const std::string& type) {
    ClientKey key;
    key.path = folder.file(name);
    make_key(key.path, type);
    key.public_line = first_line(read_file(key.path + ".pub"));
    return key;
}

Sshd::Sshd(const SshdOptions& options) : home_(folder_.file("home")), bin_(folder_.file("bin")) {
    std::filesystem::create_directory(home_);
    std::filesystem::create_directory(bin_);
    if (options.smi) write_fake_smi(*options.smi, bin_);
    // Where sshd drops its privileges; the package makes it when the service starts.
    if (::geteuid() == 0) ::mkdir("/run/sshd", 0755);

    make_key(folder_.file("host_key"), "ed25519");
    folder_.write("authorized_keys", options.authorized_key + "\n");
    {
        const Listener reserved = refuse_on_loopback();
        port_ = reserved.port;
    }
    write_config(options);
    ProgramOrder order;
    order.argv = {program_path("sshd"), "-D", "-e", "-f", folder_.file("config")};
    process_ = std::make_unique<BackgroundProgram>(order, folder_.file("out"), folder_.file("log"));
    if (!wait_for_text(folder_.file("log"), "Server listening on", *process_)) {
        throw std::runtime_error("sshd does not start: " + log());
    }
}

void Sshd::write_config(const SshdOptions& options) {
    const std::string config = "Port " + std::to_string(port_) +
                               "\n"
                               "ListenAddress 127.0.0.1\n"
                               "HostKey " +
                               folder_.file("host_key") +
                               "\n"
                               "AuthorizedKeysFile " +
                               folder_.file("authorized_keys") +
                               "\n"
                               "PidFile none\n"
                               "UsePAM no\n"
                               "StrictModes no\n"
                               "PermitRootLogin yes\n"
                               "PasswordAuthentication no\n"
                               "KbdInteractiveAuthentication no\n"
                               "PrintMotd no\n"
                               "LogLevel VERBOSE\n"
                               "SetEnv HOME=" +
                               home_ + " PATH=" + bin_ + ":/usr/bin:/bin\n" + options.extra_config;
    folder_.write("config", config);
}

std::string Sshd::known_hosts_line() const {
    const std::string key = first_line(read_file(folder_.file("host_key.pub")));
    return "[127.0.0.1]:" + std::to_string(port_) + " " + key;
}

}  // namespace gpumuster::test
