#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpumuster {

// What a server offers for a connection to begin with: the first lists of its SSH_MSG_KEXINIT
// (RFC 4253 §7.1).
struct KexOffer {
    std::vector<std::string> key_exchanges;
    std::vector<std::string> host_key_algorithms;
    std::vector<std::string> ciphers;
};

// Pure. `bytes` is what a server said from its first byte on; empty when its offer is not whole in
// there.
std::optional<KexOffer> read_kex_offer(std::string_view bytes);

// The algorithms that this client takes, comma-separated.
struct OwnAlgorithms {
    std::string_view key_exchanges;
    std::string_view host_key_algorithms;
    std::string_view ciphers;
};

// Which of the three the two sides have nothing in common for, with what the server offers, made
// safe: "key exchange (the host offers diffie-hellman-group1-sha1)". Empty when they agree.
std::string disagreement(const KexOffer& offer, const OwnAlgorithms& own);

}  // namespace gpumuster
