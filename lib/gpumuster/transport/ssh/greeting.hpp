#pragma once

#include <string>
#include <string_view>

namespace gpumuster {

// What a port says before the key exchange. libssh hides it, and it is where sshd gives its reason
// for dropping a connection.
enum class GreetingKind {
    incomplete,  // nothing decided yet: wait for more
    ssh,
    throttled,  // "Exceeded MaxStartups"
    penalised,  // "Not allowed at this time" (PerSourcePenalties, OpenSSH 9.8)
    not_ssh,
};

struct Greeting {
    GreetingKind kind = GreetingKind::incomplete;
    std::string line;  // the line that decided, made safe; for `incomplete` the first line so far
};

// Pure; `bytes` is everything that has arrived so far.
Greeting read_greeting(std::string_view bytes);

// How many bytes are looked at before a port that never says "SSH-" is given up.
inline constexpr std::size_t longest_greeting = 8192;

}  // namespace gpumuster
