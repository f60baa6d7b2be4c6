#include "help.hpp"

namespace gpumuster {

std::string_view help_text() {
    return R"(gpumuster tells, for every host, whether its GPUs are free and healthy. It only reads.

usage: gpumuster [check] [OPTION]... [TARGET]...    inspect hosts
       gpumuster hosts [OPTION]... [TARGET]...      list what would be inspected, contact nothing

  one host                  gpumuster root@203.0.113.7:10978
  several, and ranges       gpumuster gpu1 gpu2 'node[001-128]'
  a fleet                   gpumuster -i fleet.yaml
  a group or hosts of it    gpumuster -i fleet.yaml training 'node[01-04]' -x node03
  this machine              gpumuster --local
  behind a jump host        gpumuster -J bastion root@10.0.0.7
  a container               gpumuster --pct 129 root@pve1
  a gate in a script        gpumuster -i fleet.yaml --expect-gpus 8 && sbatch train.sh
  for a program             gpumuster -i fleet.yaml -o json | jq '.summary'
  who would be inspected    gpumuster hosts -i fleet.yaml training

A TARGET is a host ([USER@]HOST[:PORT]), a range or, with an inventory, a host or group of it.
Without a target and -i, the inventory is $GPUMUSTER_INVENTORY, else gpumuster/fleet.yaml in
$XDG_CONFIG_HOME or ~/.config. After -- everything is a target; a host called "hosts" or "check"
is written after check.

what to inspect
  -i, --inventory FILE      hosts, groups and settings, YAML or JSON; repeatable; - is stdin
  -x, --exclude TARGET      leave these out; repeatable
      --local               this machine, without ssh
      --expect-gpus N       fewer or more GPUs than N (0-64) are against the host
      --idle-memory SIZE    memory in use up to this is idle (100MiB)
      --probe LEVEL         full, or minimal: index and used memory only, health is not read (full)

how to get there (what nobody says here or in the inventory, your ssh_config says)
  -l, --user NAME           login name
  -p, --port PORT           1-65535
      --identity FILE       private key; repeatable; for the jump hosts too
  -J, --jump LIST           jump hosts, [USER@]HOST[:PORT] with commas, or none: straight
      --pct ID              the Proxmox container ID of the one host named
      --docker NAME         the docker container NAME of the one host named
      --ssh-config FILE     in place of yours and the system's; none reads no ssh_config
      --transport WHAT      auto, libssh, or openssh: the system's ssh (auto)
      --ask-pass            ask for a password once, for hosts that take no key

whom to trust
      --known-hosts FILE    trusted host keys; repeatable; for the jump hosts too
      --host-keys WHAT      an unknown host key: refuse, or accept-new to learn it (refuse)

how long and how wide
      --connect-timeout T   to connect; looking up and the handshake scale with it (10s)
      --command-timeout T   for nvidia-smi to answer (60s)
      --timeout T           for the whole run; hosts not reached by then are reported so (no limit)
      --parallel N          hosts at a time, 1-10000 (512, less where descriptors are few)
      --splay T             spread the starts over this time (none)

what to print
  -o, --output FORMAT       table or json (table)
      --wide                one row per GPU
      --color WHEN          auto, always or never (auto)
  -v, --verbose             one line per host on stderr, with the time of each stage
      --version             versions of gpumuster and its libraries
  -h, --help                this text

Times are written 500ms, 10s, 2m; sizes 100MiB, 2GiB. What a flag says wins over the inventory.

exit status: 0 all clean, 1 something is against a host, 2 some hosts could not be judged,
3 wrong use and nothing was contacted, 130 interrupted
)";
}

std::string_view first_steps_text() {
    return R"(one host:            gpumuster root@203.0.113.7:10978
a fleet from a file: gpumuster -i fleet.yaml
a group of it:       gpumuster -i fleet.yaml training
this machine:        gpumuster --local
a simulated fleet:   ./scripts/try, and every option: gpumuster --help
)";
}

}  // namespace gpumuster
