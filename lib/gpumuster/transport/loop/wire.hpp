#pragma once

#include <chrono>
#include <functional>
#include <memory>

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>

#include "gpumuster/transport/loop/signal.hpp"
#include "gpumuster/transport/loop/unique_fd.hpp"

namespace gpumuster {

// What a wait is for. `either` ends with whichever comes first.
enum class Want { readable, writable, either };

// Waiting on one descriptor, which it owns and makes non-blocking. The library that reads and
// writes gets a duplicate: with one shared descriptor that library closes it behind Asio's back,
// and a later host with the same number is then never woken. Loop thread only.
class Wire {
public:
    Wire(const asio::any_io_executor& executor, UniqueFd fd);
    ~Wire();
    Wire(Wire&&) noexcept;
    Wire& operator=(Wire&&) = delete;

    // `ready` also stands for an error or hang-up: the next read tells which.
    asio::awaitable<Wake> wait(Want want, Deadline deadline);

    // Calls `on_ready` once, from this loop, when the descriptor is readable or writable (not
    // `either`), or has an error. While one call for a direction is outstanding, another is not
    // asked for. Never called once the Wire has gone.
    void call_when(Want want, std::function<void()> on_ready);

    // Ends the current wait and every later one with `cancelled`.
    void cancel();

    int fd() const;

    // A duplicate with CLOEXEC, for who reads and writes. Not open when descriptors ran out.
    UniqueFd duplicate() const;

private:
    struct State;
    // Shared with handlers that Asio still holds when the Wire is gone.
    std::shared_ptr<State> state_;
};

// Duplicates share the status flags, so this holds for both ends of a duplicate().
void set_nonblocking(int fd);

// Makes the kernel acknowledge at once instead of after up to 40 ms, which an sshd caught in
// Nagle's algorithm waits for. Linux forgets it by itself, so it is set before each wait; elsewhere
// this does nothing.
void acknowledge_quickly(int fd);

// Makes the kernel notice a peer that is gone without a word, within about half a minute, whether
// we wait for it or send to it. Only for sockets of TCP; elsewhere this does nothing.
void notice_silence(int fd);

}  // namespace gpumuster
