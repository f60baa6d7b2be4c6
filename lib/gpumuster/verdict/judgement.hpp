#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gpumuster/base/failure.hpp"
#include "gpumuster/probe/readings.hpp"
#include "gpumuster/verdict/verdict.hpp"

namespace gpumuster {

// "GPU 0", "GPU 0-3,5". `indices` ascend.
std::string gpu_subject(const std::vector<int>& indices);

// "host", "hop bastion".
std::string hop_subject(const HopRef& hop);

// `text` with `value` in place of each `placeholder`.
std::string filled_in(std::string_view text, std::string_view placeholder, std::string_view value);

// Errors first, then warnings, then info; the host before its GPUs.
void put_in_order(std::vector<Finding>& findings);

// Collects what the rules find about one host. A rule states the code, the subject and the
// evidence; severity, verdict and, unless it says better, the next step come from the catalogue.
class Judgement {
public:
    // `host` is the name for next steps.
    Judgement(const HostReadings& readings, std::string host);

    void find_host(std::string_view code, std::string message);

    // An error also makes the verdict of each of these GPUs. `next_step` empty: the catalogue's.
    void find_gpus(std::string_view code, const std::vector<int>& indices, std::string message,
                   std::string_view next_step = {});

    // A subject that is no GPU of the answer, "GPU 0000:41:00.0".
    void find(std::string_view code, std::string subject, std::string message,
              std::string_view next_step = {});

    // Nothing of the answer can be relied upon: no GPU is better than that.
    void raise_all_gpus(Verdict verdict);

    // What the errors so far make of the GPU with this index.
    Verdict verdict_of(int index) const;

    HostVerdict finish();

private:
    void raise(int index, Verdict verdict);
    HostVerdict result_;
    std::string host_;
};

}  // namespace gpumuster
