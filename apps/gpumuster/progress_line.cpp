#include "progress_line.hpp"

#include <unistd.h>

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

namespace gpumuster {
namespace {

void write_some(int descriptor, std::string_view bytes) {
    // Progress is for show: what a terminal does not take is not worth an error.
    [[maybe_unused]] const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
}

}  // namespace

std::string progress_text(std::size_t done, std::size_t total, std::size_t not_clean) {
    const std::string count = fmt::format("{}/{} {}", done, total, total == 1 ? "host" : "hosts");
    return not_clean == 0 ? count : fmt::format("{}, {} not clean", count, not_clean);
}

ProgressLine::ProgressLine(int descriptor, std::size_t total, std::chrono::milliseconds delay)
    : descriptor_(descriptor),
      total_(total),
      visible_from_(std::chrono::steady_clock::now() + delay),
      first_draw_([this](const std::stop_token& stop) { draw_first(stop); }) {}

ProgressLine::~ProgressLine() {
    first_draw_.request_stop();
    first_draw_.join();
    if (drawn_width_ > 0) {
        write_some(descriptor_, fmt::format("\r{:{}}\r", "", drawn_width_));
    }
}

void ProgressLine::host_done(const HostReport& report, std::size_t done, std::size_t /*total*/) {
    const std::lock_guard lock(mutex_);
    done_ = done;
    if (report.verdict.verdict != Verdict::clean) ++not_clean_;
    if (std::chrono::steady_clock::now() >= visible_from_) draw();
}

void ProgressLine::draw() {
    const std::string text = progress_text(done_, total_, not_clean_);
    drawn_width_ = std::max(drawn_width_, text.size());
    write_some(descriptor_, fmt::format("\r{:{}}", text, drawn_width_));
}

void ProgressLine::draw_first(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    changed_.wait_until(lock, stop, visible_from_, [] { return false; });
    if (!stop.stop_requested()) draw();
}

}  // namespace gpumuster
