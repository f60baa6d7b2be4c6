#include "support/fake_smi.hpp"

#include <sys/stat.h>

#include <cstdio>
#include <fstream>
#include <stdexcept>

namespace gpumuster::test {
namespace {

void write(const std::string& path, const std::string& text, unsigned mode) {
    std::ofstream stream(path, std::ios::binary);
    stream << text;
    stream.close();
    if (!stream || ::chmod(path.c_str(), mode) != 0)
        throw std::runtime_error("cannot write " + path);
}

void write_answer(const SmiAnswer& answer, const std::string& stem) {
    write(stem + ".out", answer.out, 0644);
    write(stem + ".err", answer.err, 0644);
    write(stem + ".end", answer.hangs ? "hang\n" : std::to_string(answer.exit_status) + "\n", 0644);
}

// Answers from the files beside it, so that a test may change them between two runs.
constexpr const char* script = R"(#!/bin/sh
folder=${0%/*}
case "$*" in
  *--query-gpu=index,memory.used\ *) stem=$folder/minimal ;;
  *--query-gpu=*) stem=$folder/full ;;
  *--query-compute-apps=*) stem=$folder/processes ;;
  *) echo "fake nvidia-smi: no answer for $*" >&2; exit 2 ;;
esac
/bin/cat "$stem.out"
/bin/cat "$stem.err" >&2
read -r end < "$stem.end"
if [ "$end" = hang ]; then exec /bin/sleep 600; fi
exit "$end"
)";

std::string full_row(std::size_t index, int used_mib) {
    char row[256];
    std::snprintf(row, sizeof row,
                  "%zu, GPU-4f0e5a1c-0000-4000-8000-%012zx, NVIDIA RTX PRO 6000 Blackwell Server "
                  "Edition, 00000000:%02zX:00.0, 97887 MiB, %d MiB, 0 %%, 31, P8, 580.95.05\n",
                  index, index + 1, 0x16 + index * 16, used_mib);
    return row;
}

}  // namespace

FakeSmi FakeSmi::with_memory(const std::vector<int>& used_mib) {
    FakeSmi smi;
    for (std::size_t i = 0; i < used_mib.size(); ++i) {
        smi.full.out += full_row(i, used_mib[i]);
        smi.minimal.out += std::to_string(i) + ", " + std::to_string(used_mib[i]) + " MiB\n";
    }
    return smi;
}

void write_fake_smi(const FakeSmi& smi, const std::string& folder) {
    write(folder + "/nvidia-smi", script, 0755);
    write_answer(smi.full, folder + "/full");
    write_answer(smi.minimal, folder + "/minimal");
    write_answer(smi.processes, folder + "/processes");
}

}  // namespace gpumuster::test
