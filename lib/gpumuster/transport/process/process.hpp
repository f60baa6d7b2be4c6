#pragma once

#include <cstddef>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <asio/awaitable.hpp>
#include <tl/expected.hpp>

#include "gpumuster/base/command.hpp"
#include "gpumuster/transport/loop/signal.hpp"
#include "gpumuster/transport/process/child.hpp"

namespace gpumuster {

struct ProcessOrder {
    std::vector<std::string> argv;  // the first is a full path; no shell is involved
    Deadline deadline;
    std::size_t output_cap_bytes = 0;  // both streams together
    std::stop_token cancel;
    ChildSurroundings surroundings;
    // Called on the loop with what has just come on standard error; may move the deadline.
    std::function<void(std::string_view, Deadline&)> on_err;
};

// The only place that starts processes. The child runs in a process group of its own, with an empty
// standard input and default signals; when the visit ends, by whatever cause, what is left of the
// group is killed. The error is the errno of a start that failed.
asio::awaitable<tl::expected<CommandOutput, int>> run_process(ProcessOrder order);

}  // namespace gpumuster
