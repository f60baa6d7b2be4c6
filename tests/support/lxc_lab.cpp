#include "support/lxc_lab.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <thread>

#include "support/catch.hpp"
#include "support/components.hpp"
#include "support/processes.hpp"

namespace gpumuster::test {
namespace {

namespace fs = std::filesystem;

constexpr const char* busybox_template = "/usr/share/lxc/templates/lxc-busybox";

// The roots of all hierarchies: cgroup v2 alone, v1, or both side by side.
std::vector<std::string> hierarchies() {
    std::vector<std::string> roots;
    const std::string top = "/sys/fs/cgroup";
    if (fs::exists(top + "/cgroup.procs")) return {top};
    std::error_code is_missing;
    for (const fs::directory_entry& entry : fs::directory_iterator(top, is_missing)) {
        if (fs::exists(entry.path() / "cgroup.procs")) roots.push_back(entry.path().string());
    }
    return roots;
}

std::string trouble_with_cgroups() {
    const std::vector<std::string> roots = hierarchies();
    if (roots.empty()) return " (no cgroups)";
    for (const std::string& root : roots) {
        const std::string group = root + "/gpumuster-" + std::to_string(::getpid());
        if (::mkdir(group.c_str(), 0755) != 0) return " (cannot write " + root + ")";
        ::rmdir(group.c_str());
    }
    return {};
}

// Empty: containers can be made.
std::string trouble_with_lxc() {
    if (::geteuid() != 0) return " (not root)";
    for (const char* program : {"lxc-create", "lxc-attach", "lxc-freeze", "busybox", "unshare"}) {
        if (!has_component(program)) return std::string(" (no ") + program + ")";
    }
    if (!fs::exists(busybox_template)) return std::string(" (no ") + busybox_template + ")";
    ProgramOrder order;
    order.argv = {"unshare", "--mount", "--uts", "--ipc", "--pid", "--fork", "/bin/true"};
    if (run_program(order).status != 0) return " (no namespaces)";
    return trouble_with_cgroups();
}

bool is_required() {
    const char* list = std::getenv("GPUMUSTER_REQUIRE_COMPONENTS");
    return list != nullptr &&
           ("," + std::string(list) + ",").find(",lxc-start,") != std::string::npos;
}

void remove_groups_below(const std::string& group) {
    std::error_code is_missing;
    for (const fs::directory_entry& entry : fs::directory_iterator(group, is_missing)) {
        if (entry.is_directory()) remove_groups_below(entry.path().string());
    }
    ::rmdir(group.c_str());
}

bool wait_until(std::chrono::seconds limit, const std::function<bool()>& is_so) {
    const auto end = std::chrono::steady_clock::now() + limit;
    while (!is_so()) {
        if (std::chrono::steady_clock::now() >= end) return false;
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    return true;
}

}  // namespace

bool lxc_missing() {
    if (component_missing("lxc-start")) return true;
    static const std::string trouble = trouble_with_lxc();
    if (trouble.empty()) return false;
    if (is_required()) FAIL("required component missing: lxc-start" << trouble);
    std::cout << "[component missing] lxc-start" << trouble << ": this test did not run\n";
    return true;
}

// Who holds the lock has containers; who gets it alone may remove the groups that they share.
LxcLab::LxcLab() : lock_(::open(busybox_template, O_RDONLY | O_CLOEXEC)) {
    if (lock_ < 0 || ::flock(lock_, LOCK_SH) != 0) throw std::runtime_error("no lock for LXC");
}

LxcLab::~LxcLab() {
    for (const int number : numbers_) end(number);
    remove_leftovers();
    ::close(lock_);
}

ProgramResult LxcLab::tool(const std::string& program, int number,
                           const std::vector<std::string>& arguments) const {
    ProgramOrder order;
    order.argv = {"timeout",
                  "-k",
                  "1",
                  "20",
                  program_path(program),
                  "-P",
                  path(),
                  "-n",
                  std::to_string(number)};
    order.argv.insert(order.argv.end(), arguments.begin(), arguments.end());
    return run_program(order);
}

int LxcLab::add(const std::optional<FakeSmi>& smi) {
    const int number = 100 + ::getpid() * 10 + static_cast<int>(numbers_.size());
    // Not Debian's default.conf, which wants a bridge.
    const ProgramResult made =
        tool("lxc-create", number, {"-f", "/dev/null", "-t", busybox_template});
    if (made.status != 0) throw std::runtime_error("lxc-create: " + made.err);
    numbers_.push_back(number);
    const std::string name = std::to_string(number);
    const std::string config = name + "/config";
    folder_.write(config, read_file(folder_.file(config)) +
                              "lxc.net.0.type = empty\n"
                              "lxc.apparmor.profile = unconfined\n"
                              "lxc.cgroup.relative = 0\n"
                              "lxc.cgroup.dir.monitor = lxc.monitor/" +
                              name + "\nlxc.cgroup.dir.container = lxc/" + name +
                              "\nlxc.cgroup.dir.container.inner = ns\n");
    // Nothing of its own beside init.
    folder_.write(name + "/rootfs/etc/inittab", "::shutdown:/bin/true\n", 0644);
    if (smi) {
        fs::create_directories(root(number) + "/usr/local/bin");
        write_fake_smi(*smi, root(number) + "/usr/local/bin");
    }
    return number;
}

int LxcLab::add_running(const std::optional<FakeSmi>& smi) {
    const int number = add(smi);
    start(number);
    return number;
}

void LxcLab::start(int number) {
    const std::string name = std::to_string(number);
    const std::string log = folder_.file(name + ".log");
    ProgramOrder order;
    order.argv = ended_with_us(
        {program_path("lxc-start"), "-F", "-P", path(), "-n", name, "-l", "WARN", "-o", log});
    running_[number] = std::make_unique<BackgroundProgram>(order, folder_.file(name + ".out"),
                                                           folder_.file(name + ".err"));
    const bool runs = wait_until(std::chrono::seconds(10), [&] {
        return !running_[number]->is_running() ||
               tool("lxc-info", number, {"-s", "-H"}).out == "RUNNING\n";
    });
    if (!runs || !running_[number]->is_running()) {
        throw std::runtime_error("lxc-start: " + read_file(log) +
                                 read_file(folder_.file(name + ".err")));
    }
}

void LxcLab::stop(int number) {
    thaw(number);
    tool("lxc-stop", number, {"-k"});
    running_.at(number)->wait();
    running_.erase(number);
}

void LxcLab::freeze(int number) {
    if (tool("lxc-freeze", number).status != 0) throw std::runtime_error("lxc-freeze");
}

void LxcLab::thaw(int number) {
    tool("lxc-unfreeze", number);
}

void LxcLab::end(int number) {
    if (running_.contains(number)) {
        thaw(number);
        const bool has_stopped = tool("lxc-stop", number, {"-k"}).status == 0;
        // Its init goes with it.
        if (!has_stopped) running_.at(number)->send_signal(SIGKILL);
        running_.at(number)->wait();
        running_.erase(number);
    }
    for (const std::string& root : hierarchies()) {
        remove_groups_below(root + "/lxc/" + std::to_string(number));
        remove_groups_below(root + "/lxc.monitor/" + std::to_string(number));
    }
}

void LxcLab::remove_leftovers() const {
    std::error_code ignored;
    fs::remove_all("/run/lxc/lock" + path(), ignored);
    if (::flock(lock_, LOCK_EX | LOCK_NB) != 0) return;
    for (const std::string& root : hierarchies()) {
        for (const char* group : {"/lxc", "/lxc.monitor", "/lxc.pivot"}) {
            ::rmdir((root + group).c_str());
        }
    }
    // Empty folders only.
    for (fs::path folder = fs::path("/run/lxc/lock" + path()).parent_path();
         folder != "/run" && folder != "/"; folder = folder.parent_path()) {
        ::rmdir(folder.c_str());
    }
}

std::vector<std::string> LxcLab::processes(int number) const {
    // Each command line's words end with a zero byte; ours is left out, and those of the kernel
    // have none.
    const ProgramResult listed =
        tool("lxc-attach", number,
             {"--clear-env", "--", "/bin/sh", "-c",
              "for p in /proc/[0-9]*;do [ ${p#/proc/} = 1 ]||[ ${p#/proc/} = $$ ]||"
              "{ tr '\\000' ' ' <$p/cmdline 2>/dev/null&&echo;};done"});
    std::vector<std::string> lines;
    std::istringstream text(listed.out);
    for (std::string line; std::getline(text, line);) {
        if (!line.empty() && line.rfind("tr ", 0) != 0) lines.push_back(line);
    }
    return lines;
}

bool LxcLab::wait_until_idle(int number) const {
    return wait_until(std::chrono::seconds(20), [&] { return processes(number).empty(); });
}

bool LxcLab::wait_for_process(int number, const std::string& text) const {
    return wait_until(std::chrono::seconds(10), [&] {
        for (const std::string& line : processes(number)) {
            if (line.rfind(text, 0) == 0) return true;
        }
        return false;
    });
}

}  // namespace gpumuster::test
