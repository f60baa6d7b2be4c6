#include "support/sshd.hpp"

#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <sstream>
#include <stdexcept>
#include <thread>

#include "support/components.hpp"
#include "support/listener.hpp"
#include "support/processes.hpp"

namespace gpumuster::test {
namespace {

void run_keygen(std::vector<std::string> arguments) {
    ProgramOrder order;
    order.argv = std::move(arguments);
    order.argv.insert(order.argv.begin(), {"ssh-keygen", "-q"});
    const ProgramResult result = run_program(order);
    if (result.status != 0) throw std::runtime_error("ssh-keygen: " + result.err);
}

void make_key(const std::string& path, const std::string& type,
              const std::string& passphrase = {}) {
    std::vector<std::string> arguments{"-t", type, "-N", passphrase, "-C", "test", "-f", path};
    // What sshd accepts by default and takes the least time to make.
    if (type == "rsa") arguments.insert(arguments.end(), {"-b", "2048"});
    run_keygen(std::move(arguments));
}

std::string first_line(const std::string& text) {
    return text.substr(0, text.find('\n'));
}

}  // namespace

std::string current_user() {
    const passwd* entry = ::getpwuid(::getuid());
    return entry != nullptr ? entry->pw_name : "root";
}

ClientKey make_client_key(const TempDir& folder, const std::string& name, const std::string& type,
                          const std::string& passphrase) {
    ClientKey key;
    key.path = folder.file(name);
    make_key(key.path, type, passphrase);
    key.public_line = first_line(read_file(key.path + ".pub"));
    return key;
}

void sign_key(const std::string& authority, const std::string& public_key_file,
              const std::vector<std::string>& arguments) {
    std::vector<std::string> all{"-s", authority, "-I", "test"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    all.push_back(public_key_file);
    run_keygen(std::move(all));
}

Sshd::Sshd(const SshdOptions& options)
    : home_(folder_.file("home")),
      bin_(folder_.file("bin")),
      port_(options.port),
      host_key_types_(options.host_key_types) {
    std::filesystem::create_directory(home_);
    std::filesystem::create_directory(bin_);
    if (options.smi) write_fake_smi(*options.smi, bin_);
    // Where sshd drops its privileges; the package makes it when the service starts.
    if (::geteuid() == 0) ::mkdir("/run/sshd", 0755);
    if (port_ == 0 && options.machine != nullptr) port_ = 22;
    if (port_ == 0) port_ = refuse_on_loopback().port;

    make_host_keys(options);
    write_accounts(options);
    write_config(options);
    start(options);
}

Sshd::~Sshd() {
    kill();
}

void Sshd::kill() {
    if (process_ && process_->is_running()) kill_with_descendants(process_->pid());
    process_.reset();
}

void Sshd::make_host_keys(const SshdOptions& options) {
    for (const std::string& type : host_key_types_) make_key(folder_.file("host_" + type), type);
    if (options.host_authority.empty()) return;
    sign_key(options.host_authority, folder_.file("host_" + host_key_types_.front() + ".pub"),
             {"-h", "-n", options.host_principals});
}

// Each account has a file of keys of its own; "%u" of AuthorizedKeysFile finds it.
void Sshd::write_accounts(const SshdOptions& options) {
    folder_.write("keys_" + current_user(), options.authorized_key + "\n");
    if (options.accounts.empty() && options.etc_files.empty()) return;
    std::map<std::string, std::string> files;
    std::string passwd = read_file("/etc/passwd");
    for (const SshdAccount& account : options.accounts) {
        folder_.write("keys_" + account.name, account.authorized_key + "\n");
        passwd += account.name + ":x:0:0::" + home_ + ":" + account.shell + "\n";
    }
    files["passwd"] = passwd;
    for (const auto& [name, text] : options.etc_files) files[name] = text;
    etc_ = std::make_unique<PrivateEtc>(files);
}

// The first line for a keyword is the one that sshd takes.
void Sshd::write_config(const SshdOptions& options) {
    std::ostringstream config;
    config << options.first_config;
    if (!options.first_config.ends_with('\n')) config << '\n';
    config << "Port " << port_ << '\n'
           << "ListenAddress " << (options.machine != nullptr ? "0.0.0.0" : "127.0.0.1") << '\n';
    for (const std::string& type : host_key_types_) {
        config << "HostKey " << folder_.file("host_" + type) << '\n';
    }
    if (!options.host_authority.empty()) {
        config << "HostCertificate " << folder_.file("host_" + host_key_types_.front())
               << "-cert.pub\n";
    }
    config << "AuthorizedKeysFile " << folder_.file("keys_%u") << '\n'
           << "PidFile none\n"
              "UsePAM no\n"
              "StrictModes no\n"
              "PermitRootLogin yes\n"
              "PasswordAuthentication no\n"
              "KbdInteractiveAuthentication no\n"
              "PrintMotd no\n"
              "LogLevel VERBOSE\n"
           << "SetEnv HOME=" << home_ << " PATH=" << bin_ << ":/usr/bin:/bin\n"
           << options.extra_config;
    folder_.write("config", config.str());
}

void Sshd::start(const SshdOptions& options) {
    ProgramOrder order;
    order.argv = {program_path("sshd"), "-D", "-e", "-f", folder_.file("config")};
    if (etc_) order.argv = etc_->around(order.argv);
    if (options.machine != nullptr) order.argv = options.machine->around(order.argv);
    order.argv = ended_with_us(order.argv);
    process_ = std::make_unique<BackgroundProgram>(order, folder_.file("out"), folder_.file("log"));
    if (!wait_for_text(folder_.file("log"), "Server listening on", *process_)) {
        throw std::runtime_error("sshd does not start: " + log());
    }
}

std::string Sshd::host_key(const std::string& type) const {
    const std::string& wanted = type.empty() ? host_key_types_.front() : type;
    const std::string line = first_line(read_file(folder_.file("host_" + wanted + ".pub")));
    return line.substr(0, line.rfind(' '));
}

std::string Sshd::known_hosts_line() const {
    return known_hosts_line("127.0.0.1");
}

std::string Sshd::known_hosts_line(const std::string& address, const std::string& type) const {
    const std::string name = port_ == 22 ? address : "[" + address + "]:" + std::to_string(port_);
    return name + " " + host_key(type);
}

std::size_t Sshd::times_logged(const std::string& text) const {
    std::istringstream lines(log());
    std::size_t count = 0;
    for (std::string line; std::getline(lines, line);) {
        if (line.find(text) != std::string::npos) ++count;
    }
    return count;
}

bool Sshd::wait_until_logged(const std::string& text, std::size_t times) const {
    for (int i = 0; i < 1000; ++i) {
        if (times_logged(text) >= times) return true;
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return false;
}

}  // namespace gpumuster::test
