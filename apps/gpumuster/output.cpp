#include "output.hpp"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <system_error>

#include <fmt/format.h>

namespace gpumuster {
namespace {

constexpr std::size_t buffer_size = 65'536;

// Returns errno, or 0 when everything was written.
int write_all(int descriptor, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
        if (written >= 0) {
            bytes.remove_prefix(static_cast<std::size_t>(written));
            continue;
        }
        // A terminal shared with another program can have been made non-blocking by it.
        if (errno == EAGAIN) {
            pollfd writable{descriptor, POLLOUT, 0};
            ::poll(&writable, 1, -1);
            continue;
        }
        if (errno != EINTR) return errno;
    }
    return 0;
}

}  // namespace

Output::Output(int descriptor) : descriptor_(descriptor) {
    buffer_.reserve(buffer_size);
}

void Output::write(std::string_view bytes) {
    if (error_ != 0) return;
    buffer_ += bytes;
    if (buffer_.size() >= buffer_size) flush();
}

void Output::flush() {
    if (error_ == 0) error_ = write_all(descriptor_, buffer_);
    buffer_.clear();
}

int Output::finish(int status) {
    flush();
    if (error_ == 0 || error_ == EPIPE) return status;
    // Not fmt::print: it throws when stderr takes nothing.
    std::fputs(fmt::format("gpumuster: cannot write to standard output: {}\n",
                           std::generic_category().message(error_))
                   .c_str(),
               stderr);
    return 2;
}

}  // namespace gpumuster
