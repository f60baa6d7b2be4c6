#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace gpumuster::sim {

// Owns one descriptor.
class Descriptor {
public:
    Descriptor() = default;
    explicit Descriptor(int number) : number_{number} {}
    Descriptor(Descriptor&& other) noexcept : number_{std::exchange(other.number_, -1)} {}
    Descriptor& operator=(Descriptor&& other) noexcept {
        std::swap(number_, other.number_);
        return *this;
    }
    ~Descriptor();

    int get() const { return number_; }
    int release() { return std::exchange(number_, -1); }
    explicit operator bool() const { return number_ >= 0; }

private:
    int number_ = -1;
};

// Whether a text is an IPv4 address of this machine alone: 127.x.y.z.
bool is_loopback_address(const std::string& address);

struct Port {
    Descriptor descriptor;
    std::uint16_t number = 0;
};

// Binds a port that the kernel chooses on a loopback address. One that does not listen refuses
// connections, and nobody else can have it. Throws std::system_error, or std::invalid_argument
// for another address.
enum class PortUse { listen, refuse };
Port bind_port(const std::string& address, PortUse use);

// The next waiting connection: non-blocking, without Nagle's delay. Without one, errno says why.
Descriptor accept_connection(int listener);

// Makes a second descriptor of the same socket; throws std::system_error.
Descriptor copy_of(int descriptor);

// A wake-up for another thread or a signal handler: writing to `in` makes `out` readable.
struct Pipe {
    Descriptor out;
    Descriptor in;
};
Pipe make_pipe();

// Writes what the socket takes now; never raises SIGPIPE.
void send_now(int socket, std::string_view bytes);

// Takes the limit on open descriptors as high as it goes and returns it.
std::size_t raise_descriptor_limit();

}  // namespace gpumuster::sim
