#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "support/fake_smi.hpp"
#include "support/program.hpp"
#include "support/temp_dir.hpp"

namespace gpumuster::test {

// Prints the line that counts as a skip, with the reason, and returns true where no container can
// be made: it takes root, LXC with its busybox template, and cgroups that may be written.
// "lxc-start" in GPUMUSTER_REQUIRE_COMPONENTS.
bool lxc_missing();

// Real LXC containers with busybox in them, in a folder of their own and in the cgroups that
// Proxmox would give them. They and all that LXC makes for them are gone with this object, and the
// containers with this process however that ends. Check lxc_missing() first.
class LxcLab {
public:
    LxcLab();
    ~LxcLab();
    LxcLab(const LxcLab&) = delete;
    LxcLab& operator=(const LxcLab&) = delete;

    // Makes a container, which is not started. The number is no other container's on this machine.
    // The nvidia-smi is in its /usr/local/bin.
    int add(const std::optional<FakeSmi>& smi = {});
    int add_running(const std::optional<FakeSmi>& smi = {});

    void start(int number);
    void stop(int number);
    void freeze(int number);
    void thaw(int number);

    // What -P of the lxc tools takes.
    const std::string& path() const { return folder_.path(); }
    std::string root(int number) const { return folder_.file(std::to_string(number) + "/rootfs"); }

    // What runs in there beside init, one command line each.
    std::vector<std::string> processes(int number) const;
    // Waits, up to twenty seconds, until nothing does.
    bool wait_until_idle(int number) const;
    // Waits, up to ten seconds, until a command line in there begins with the text.
    bool wait_for_process(int number, const std::string& text) const;

private:
    ProgramResult tool(const std::string& program, int number,
                       const std::vector<std::string>& arguments = {}) const;
    void end(int number);
    void remove_leftovers() const;

    TempDir folder_;
    int lock_ = -1;
    std::vector<int> numbers_;
    std::map<int, std::unique_ptr<BackgroundProgram>> running_;
};

}  // namespace gpumuster::test
