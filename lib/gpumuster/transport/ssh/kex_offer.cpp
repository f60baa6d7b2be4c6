#include "gpumuster/transport/ssh/kex_offer.hpp"

#include <algorithm>
#include <cstdint>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "gpumuster/base/safe_text.hpp"

namespace gpumuster {
namespace {

constexpr char ssh_msg_kexinit = 20;
constexpr std::size_t cookie_bytes = 16;

std::optional<std::size_t> take_number(std::string_view& bytes) {
    if (bytes.size() < 4) return std::nullopt;
    std::uint32_t number = 0;
    for (std::size_t i = 0; i < 4; ++i) number = number << 8 | static_cast<unsigned char>(bytes[i]);
    bytes.remove_prefix(4);
    return number;
}

std::vector<std::string> words_of(std::string_view list) {
    std::vector<std::string> words;
    while (!list.empty()) {
        const std::size_t comma = std::min(list.find(','), list.size());
        words.emplace_back(list.substr(0, comma));
        list.remove_prefix(std::min(comma + 1, list.size()));
    }
    return words;
}

std::optional<std::vector<std::string>> take_list(std::string_view& bytes) {
    const auto length = take_number(bytes);
    if (!length || *length > bytes.size()) return std::nullopt;
    std::vector<std::string> words = words_of(bytes.substr(0, *length));
    bytes.remove_prefix(*length);
    return words;
}

// Lines may stand before the identification.
std::string_view after_identification(std::string_view bytes) {
    while (!bytes.empty()) {
        const std::size_t end = bytes.find('\n');
        if (end == std::string_view::npos) return {};
        const bool is_identification = bytes.starts_with("SSH-");
        bytes.remove_prefix(end + 1);
        if (is_identification) return bytes;
    }
    return {};
}

bool have_common(const std::vector<std::string>& theirs, std::string_view ours) {
    const std::vector<std::string> own = words_of(ours);
    return std::any_of(theirs.begin(), theirs.end(), [&](const std::string& one) {
        return std::find(own.begin(), own.end(), one) != own.end();
    });
}

}  // namespace

std::optional<KexOffer> read_kex_offer(std::string_view bytes) {
    bytes = after_identification(bytes);
    const auto packet_length = take_number(bytes);
    if (!packet_length || bytes.size() < 2 + cookie_bytes || bytes[1] != ssh_msg_kexinit) {
        return std::nullopt;
    }
    bytes.remove_prefix(2 + cookie_bytes);
    const auto key_exchanges = take_list(bytes);
    const auto host_key_algorithms = take_list(bytes);
    const auto ciphers = take_list(bytes);
    if (!key_exchanges || !host_key_algorithms || !ciphers) return std::nullopt;
    return KexOffer{*key_exchanges, *host_key_algorithms, *ciphers};
}

std::string disagreement(const KexOffer& offer, const OwnAlgorithms& own) {
    const auto say = [](const char* what, const std::vector<std::string>& theirs) {
        return quote_line(fmt::format("{} (the host offers {})", what, fmt::join(theirs, ", ")));
    };
    if (!have_common(offer.key_exchanges, own.key_exchanges)) {
        return say("key exchange", offer.key_exchanges);
    }
    if (!have_common(offer.host_key_algorithms, own.host_key_algorithms)) {
        return say("host key", offer.host_key_algorithms);
    }
    if (!have_common(offer.ciphers, own.ciphers)) return say("cipher", offer.ciphers);
    return {};
}

}  // namespace gpumuster
