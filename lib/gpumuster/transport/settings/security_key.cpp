#include "gpumuster/transport/settings/security_key.hpp"

#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>

namespace gpumuster {
namespace {

constexpr std::string_view armour = "-----BEGIN OPENSSH PRIVATE KEY-----";

// The public half, which names the type, stands at the beginning and is not encrypted.
std::string beginning_of(const std::string& path) {
    std::error_code error;
    if (!std::filesystem::is_regular_file(path, error)) return {};
    std::ifstream stream(path, std::ios::binary);
    std::array<char, 2048> buffer;
    stream.read(buffer.data(), buffer.size());
    return {buffer.data(), static_cast<std::size_t>(stream.gcount())};
}

int digit_of(char c) {
    constexpr std::string_view digits =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const std::size_t at = digits.find(c);
    return at == std::string_view::npos ? -1 : static_cast<int>(at);
}

// Whatever is no digit is passed over.
std::string decode_base64(std::string_view text) {
    std::string bytes;
    std::uint32_t bits = 0;
    int count = 0;
    for (const char c : text) {
        const int digit = digit_of(c);
        if (digit < 0) continue;
        bits = bits << 6 | static_cast<std::uint32_t>(digit);
        count += 6;
        if (count < 8) continue;
        count -= 8;
        bytes += static_cast<char>(bits >> count & 0xff);
    }
    return bytes;
}

bool names_security_key(std::string_view bytes) {
    return bytes.find("sk-ssh-ed25519@openssh.com") != std::string_view::npos ||
           bytes.find("sk-ecdsa-sha2-nistp256@openssh.com") != std::string_view::npos;
}

}  // namespace

bool is_security_key(const std::string& path) {
    const std::string text = beginning_of(path);
    if (text.starts_with(armour)) {
        return names_security_key(decode_base64(std::string_view(text).substr(armour.size())));
    }
    if (text.starts_with("sk-")) return true;
    return text.empty() && beginning_of(path + ".pub").starts_with("sk-");
}

}  // namespace gpumuster
