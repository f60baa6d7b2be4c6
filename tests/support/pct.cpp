#include "support/pct.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <fstream>
#include <stdexcept>

namespace gpumuster::test {
namespace {

// pct takes its options by Getopt::Long: in any place before `--`, with one dash or two, shortened
// as far as they are clear, and the value of --keep-env may follow. Its own errors end with perl's
// `die`, whose status is whatever errno was.
constexpr const char* script = R"pct(#!/bin/sh
folder=${0%/*}
read -r lab <"$folder/pct.lab"
echo "$*" >>"$folder/pct.calls"
die() { status=$1; shift; printf '%s\n' "$*" >&2; exit "$status"; }

case ${LC_ALL:-${LANG:-C}} in
  C|POSIX|C.UTF-8) ;;
  *) printf '%s\n' 'perl: warning: Setting locale failed.' \
       'perl: warning: Please check that your locale settings:' \
       "	LANGUAGE = (unset)," "	LC_ALL = \"$LC_ALL\"," "	LANG = \"$LANG\"" \
       '    are supported and installed on your system.' \
       'perl: warning: Falling back to the standard locale ("C").' >&2 ;;
esac
PATH=/sbin:/bin:/usr/sbin:/usr/bin
export PATH
if [ "$(id -u)" != 0 ] || [ -e "$folder/pct.refuse" ]; then
  for n in 1 2 3; do echo "ipcc_send_rec[$n] failed: Unknown error -1" >&2; done
  die 255 'Unable to load access control list: Unknown error -1'
fi

command=$1
[ $# -gt 0 ] && shift
environment=--keep-env
has_unknown=
left=$#
while [ "$left" -gt 0 ]; do
  word=$1
  shift
  left=$((left - 1))
  case $word in
    --)
      while [ "$left" -gt 0 ]; do
        set -- "$@" "$1"
        shift
        left=$((left - 1))
      done ;;
    -?*)
      option=${word#-}
      option=${option#-}
      value=1
      case $option in
        *=*) value=${option#*=}; option=${option%%=*} ;;
        *) case ${1--} in
             -*) ;;
             *) [ "$left" -gt 0 ] && { value=$1; shift; left=$((left - 1)); } ;;
           esac ;;
      esac
      case keep-env in
        "$option"*) [ "$value" = 0 ] && environment=--clear-env ;;
        *) echo "Unknown option: $option" >&2; has_unknown=1 ;;
      esac ;;
    *) set -- "$@" "$word" ;;
  esac
done
if [ -n "$has_unknown" ]; then
  echo '400 unable to parse option' >&2
  die 255 "pct $command <vmid> [<extra-args>] [OPTIONS]"
fi

vmid=$1
[ $# -gt 0 ] && shift
case $vmid in
  [1-9][0-9][0-9]*) ;;
  *) echo '400 Parameter verification failed.' >&2
     die 255 "vmid: type check ('integer') failed - got '$vmid'" ;;
esac
[ -d "$lab/$vmid" ] || die 2 "Configuration file 'nodes/pve1/lxc/$vmid.conf' does not exist"
runs=
grep -q "@$lab/$vmid/command\$" /proc/net/unix && runs=1
case $command in
  status) [ -n "$runs" ] && echo 'status: running' || echo 'status: stopped' ;;
  exec)
    [ -n "$runs" ] || die 25 "container '$vmid' not running!"
    [ $# -gt 0 ] || die 22 'missing command at /usr/share/perl5/PVE/CLI/pct.pm line 262.'
    exec lxc-attach -P "$lab" -n "$vmid" "$environment" -- "$@" ;;
  *) die 255 "ERROR: unknown command 'pct $command'" ;;
esac
)pct";

void write_file(const std::string& path, const std::string& text, unsigned mode) {
    std::ofstream stream(path, std::ios::binary);
    stream << text;
    stream.close();
    if (!stream || ::chmod(path.c_str(), mode) != 0) {
        throw std::runtime_error("cannot write " + path);
    }
}

}  // namespace

Pct::Pct(const LxcLab& lab, const std::string& folder) : folder_(folder) {
    write_file(folder_ + "/pct", script, 0755);
    write_file(folder_ + "/pct.lab", lab.path() + "\n", 0644);
}

void Pct::refuse_everybody() const {
    write_file(folder_ + "/pct.refuse", "", 0644);
}

std::size_t Pct::calls() const {
    const std::string lines = read_file(folder_ + "/pct.calls");
    return static_cast<std::size_t>(std::count(lines.begin(), lines.end(), '\n'));
}

}  // namespace gpumuster::test
