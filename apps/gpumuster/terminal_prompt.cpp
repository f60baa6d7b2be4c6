#include "terminal_prompt.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string_view>

namespace gpumuster {
namespace {

// How often the wish to stop is looked for.
constexpr int look_again_ms = 100;
constexpr std::size_t longest_line = 1024;

volatile sig_atomic_t caught_signal = 0;

void note_signal(int number) {
    caught_signal = number;
}

// While it lives, a signal that would end or stop the process only ends the wait. One that is
// ignored stays ignored.
class CaughtSignals {
public:
    CaughtSignals() {
        caught_signal = 0;
        struct sigaction catching {};
        catching.sa_handler = note_signal;
        ::sigemptyset(&catching.sa_mask);
        for (std::size_t i = 0; i < signals.size(); ++i) {
            ::sigaction(signals[i], nullptr, &before_[i]);
            if (before_[i].sa_handler != SIG_IGN) ::sigaction(signals[i], &catching, nullptr);
        }
    }
    ~CaughtSignals() {
        for (std::size_t i = 0; i < signals.size(); ++i) {
            ::sigaction(signals[i], &before_[i], nullptr);
        }
    }
    CaughtSignals(const CaughtSignals&) = delete;
    CaughtSignals& operator=(const CaughtSignals&) = delete;

private:
    static constexpr std::array<int, 5> signals{SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP};
    std::array<struct sigaction, signals.size()> before_{};
};

class SilentTerminal {
public:
    explicit SilentTerminal(int fd) : fd_(fd) {
        is_silent_ = ::tcgetattr(fd_, &before_) == 0;
        if (!is_silent_) return;
        termios silent = before_;
        silent.c_lflag &= ~static_cast<tcflag_t>(ECHO | ECHOE | ECHOK | ECHONL);
        // What was typed before the prompt is no answer to it.
        is_silent_ = ::tcsetattr(fd_, TCSAFLUSH, &silent) == 0;
    }
    ~SilentTerminal() {
        if (is_silent_) ::tcsetattr(fd_, TCSAFLUSH, &before_);
    }
    SilentTerminal(const SilentTerminal&) = delete;
    SilentTerminal& operator=(const SilentTerminal&) = delete;

    bool is_silent() const { return is_silent_; }

private:
    int fd_;
    termios before_{};
    bool is_silent_ = false;
};

void show(int fd, std::string_view text) {
    while (!text.empty()) {
        const ssize_t count = ::write(fd, text.data(), text.size());
        if (count < 0 && errno == EINTR && caught_signal == 0) continue;
        if (count <= 0) return;
        text.remove_prefix(static_cast<std::size_t>(count));
    }
}

// Waits for input until there is some; false: a signal came, or stop was requested.
bool wait_for_input(int fd, const std::stop_token& stop) {
    while (caught_signal == 0 && !stop.stop_requested()) {
        pollfd entry{fd, POLLIN, 0};
        if (::poll(&entry, 1, look_again_ms) > 0) return caught_signal == 0;
    }
    return false;
}

std::optional<Secret> read_line(int fd, const std::stop_token& stop) {
    std::array<char, longest_line> line;
    std::size_t size = 0;
    std::optional<Secret> answer;
    while (size < line.size() && wait_for_input(fd, stop)) {
        const ssize_t count = ::read(fd, line.data() + size, 1);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) break;
        if (line[size] == '\n' || line[size] == '\r') {
            answer.emplace(std::string_view(line.data(), size));
            break;
        }
        ++size;
    }
    wipe_memory(line.data(), line.size());
    return answer;
}

}  // namespace

TerminalPrompt::TerminalPrompt(const std::string& path)
    : fd_(::open(path.c_str(), O_RDWR | O_NOCTTY | O_CLOEXEC)) {}

std::optional<Secret> TerminalPrompt::ask(const std::string& prompt,
                                          const std::stop_token& stop) const {
    while (true) {
        std::optional<Secret> answer;
        {
            const CaughtSignals signals;
            const SilentTerminal terminal(fd_.get());
            if (!terminal.is_silent()) return {};
            show(fd_.get(), prompt);
            answer = read_line(fd_.get(), stop);
            show(fd_.get(), "\n");
        }
        const int signal = caught_signal;
        if (signal == 0) return answer;
        ::raise(signal);
        // Stopped by ^Z and continued: the question is asked again.
        if (signal != SIGTSTP) return {};
    }
}

}  // namespace gpumuster
