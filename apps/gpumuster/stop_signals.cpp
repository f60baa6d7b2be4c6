#include "stop_signals.hpp"

#include <pthread.h>
#include <unistd.h>

#include <initializer_list>

namespace gpumuster {
namespace {

constexpr int interrupted_status = 130;

bool is_ignored(int signal) {
    struct sigaction action {};
    return ::sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

}  // namespace

StopSignals::StopSignals() {
    ::sigemptyset(&signals_);
    for (const int signal : {SIGINT, SIGTERM}) {
        if (!is_ignored(signal)) ::sigaddset(&signals_, signal);
    }
    // Also wakes the listener for the last time; it is not one that a user sends.
    ::sigaddset(&signals_, SIGUSR1);
    ::pthread_sigmask(SIG_BLOCK, &signals_, &mask_before_);
    listener_ = std::thread([this] { listen(); });
}

StopSignals::~StopSignals() {
    is_closing_ = true;
    ::pthread_kill(listener_.native_handle(), SIGUSR1);
    listener_.join();
    ::pthread_sigmask(SIG_SETMASK, &mask_before_, nullptr);
}

void StopSignals::listen() {
    while (true) {
        int signal = 0;
        if (::sigwait(&signals_, &signal) != 0 || is_closing_) return;
        if (signal == SIGUSR1) continue;
        if (!source_.request_stop()) ::_exit(interrupted_status);
    }
}

}  // namespace gpumuster
