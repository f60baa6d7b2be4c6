#include "gpumuster/transport/entry/entry_script.hpp"

#include <cstdint>

#include "gpumuster/transport/entry/entry_lines.hpp"

namespace gpumuster {
namespace {

using Kind = ContainerEntry::Kind;

// An rc file may have left a line unfinished: each line of ours begins on a new one.
std::string say(std::string_view words) {
    return "echo >&2;echo \"" + std::string(entry_prefix) + std::string(words) + "\" >&2;";
}

// A login that is not root's lacks sbin, where pct is. LC_ALL keeps perl and bash from complaining
// about locales that this machine has and the host has not, and the tool's own texts in English.
const char* const surroundings =
    "s=$1;c=$2;shift 2;"
    "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin${PATH:+:$PATH};LC_ALL=C;"
    "export PATH LC_ALL;";

std::string functions() {
    return "f(){ " + say("$*") + "exit 1;};";
}

std::string find_tool() {
    return "command -v \"$1\" >/dev/null 2>&1||f " + std::string(entry_tool_missing) + " \"$1\";";
}

// Entering a frozen container hangs in state D until it is thawed, while `pct status` says that it
// runs. Proxmox puts container 129 into lxc/129 and its processes into lxc/129/ns, LXC elsewhere
// into lxc.payload.129. cgroup.events is of cgroup v2, which is mounted under unified/ where v1
// has the freezer; a group whose parent is frozen says the same of itself.
std::string ask_whether_frozen() {
    return "r(){ [ -r \"$1\" ]||return;while read -r k v;do case \"$k $v\" in \"frozen 1\"|"
           "\"FROZEN \"|\"FREEZING \")f " +
           std::string(entry_frozen) +
           ";;esac;done <\"$1\";};"
           "for g in lxc/$i lxc/$i/ns lxc.payload.$i;do "
           "r /sys/fs/cgroup/$g/cgroup.events;r /sys/fs/cgroup/unified/$g/cgroup.events;"
           "r /sys/fs/cgroup/freezer/$g/freezer.state;done;";
}

// pct has one text for a number that nobody has and for one of another node, and none for virtual
// machines. Only what is found decides: a login that may not read /etc/pve finds nothing.
std::string ask_which_node() {
    return "p=/etc/pve;[ -e $p/lxc/$i.conf ]||for x in $p/nodes/*/lxc/$i.conf "
           "$p/nodes/*/qemu-server/$i.conf;do [ -e \"$x\" ]||continue;n=${x#$p/nodes/};"
           "case $x in */lxc/*)f " +
           std::string(entry_other_node) + " \"${n%%/*}\";;*)f " +
           std::string(entry_virtual_machine) + " \"${n%%/*}\";;esac;done;";
}

std::int64_t whole_seconds(std::chrono::milliseconds limit) {
    return std::chrono::ceil<std::chrono::seconds>(limit).count();
}

}  // namespace

std::vector<std::string> entry_words(const ContainerEntry& container) {
    switch (container.kind) {
        case Kind::pct:
            // Without `--` pct takes the options of the command for its own.
            return {"pct", "exec", container.name, "--"};
        case Kind::docker:
            return {"docker", "exec", container.name};
        case Kind::exec:
            break;
    }
    return container.argv;
}

std::string entry_script(Kind kind) {
    std::string script = surroundings + functions() + find_tool();
    if (kind == Kind::pct) script += "i=$3;" + ask_which_node() + ask_whether_frozen();
    return script + say(entry_entering) + "exec \"$@\" /bin/sh -c \"$s\" sh \"$c\" </dev/null";
}

// pct hands on a PATH of its own, without /usr/local; containers of images have one that names
// where their nvidia-smi is. Who enters a container and goes away leaves the command running in
// there, so that only a limit inside ends it; it passes after ours. Old busybox has a timeout
// without -k, small systems have none.
std::string script_in_container(std::chrono::milliseconds limit) {
    return "PATH=${PATH:+$PATH:}/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:"
           "/usr/local/nvidia/bin:/run/current-system/sw/bin:/usr/lib/wsl/lib;export PATH;" +
           say(entry_inside) + "t=;timeout -k 1 5 true >/dev/null 2>&1&&t=\"timeout -k 2 " +
           std::to_string(whole_seconds(limit) + 1) + "\";exec $t /bin/sh -c \"$1\" sh";
}

}  // namespace gpumuster
