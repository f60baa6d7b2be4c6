#include "apps/gpumuster/stop_signals.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <future>
#include <stop_token>

#include "support/catch.hpp"

using namespace gpumuster;
using namespace std::chrono_literals;

namespace {

// Sends a signal to this process and waits until the token knows; false after a generous time.
bool stops_after(const StopSignals& signals, int signal) {
    std::promise<void> stopped;
    const std::stop_callback on_stop(signals.token(), [&] { stopped.set_value(); });
    kill(getpid(), signal);
    return stopped.get_future().wait_for(30s) == std::future_status::ready;
}

// The exit status of `action` run in a child process, or -1 when a signal ended it.
template <class Action>
int status_in_child(Action action) {
    const pid_t child = fork();
    if (child == 0) {
        action();
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace

TEST_CASE("an interrupt or a request to end becomes a wish to stop") {
    const auto signal = GENERATE(SIGINT, SIGTERM);
    const StopSignals signals;
    CHECK_FALSE(signals.token().stop_requested());
    CHECK(stops_after(signals, signal));
    CHECK(signals.token().stop_requested());
}

TEST_CASE("the signals are as before when the object is gone") {
    sigset_t before;
    pthread_sigmask(SIG_BLOCK, nullptr, &before);
    { const StopSignals signals; }
    sigset_t after;
    pthread_sigmask(SIG_BLOCK, nullptr, &after);
    CHECK(sigismember(&after, SIGINT) == sigismember(&before, SIGINT));
    CHECK(sigismember(&after, SIGTERM) == sigismember(&before, SIGTERM));
}

TEST_CASE("the second signal ends the process at once") {
    const int status = status_in_child([] {
        const StopSignals signals;
        if (!stops_after(signals, SIGINT)) _exit(99);
        kill(getpid(), SIGINT);
        // Only the listener ends this process; the alarm is for when it does not.
        alarm(30);
        sigset_t only_alarm;
        sigfillset(&only_alarm);
        sigdelset(&only_alarm, SIGALRM);
        sigsuspend(&only_alarm);
    });
    CHECK(status == 130);
}

TEST_CASE("a signal that was ignored from the start stays ignored") {
    const int status = status_in_child([] {
        signal(SIGINT, SIG_IGN);
        const StopSignals signals;
        kill(getpid(), SIGINT);
        if (!stops_after(signals, SIGTERM)) _exit(99);
        // Had the interrupt counted, the request to end would have been the second signal.
    });
    CHECK(status == 0);
}
