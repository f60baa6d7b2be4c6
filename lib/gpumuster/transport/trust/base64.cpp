#include "gpumuster/transport/trust/base64.hpp"

#include <openssl/evp.h>

#include <algorithm>

namespace gpumuster {
namespace {

bool is_digit(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '+' ||
           c == '/';
}

// EVP_DecodeBlock drops dashes and blanks at the ends and reads "=" anywhere as zero bits.
bool is_strict_base64(std::string_view text) {
    const auto end_of_digits = std::find_if_not(text.begin(), text.end(), is_digit);
    const std::string_view padding =
        text.substr(static_cast<std::size_t>(end_of_digits - text.begin()));
    return text.size() % 4 == 0 && (padding.empty() || padding == "=" || padding == "==");
}

}  // namespace

std::optional<std::string> decode_base64(std::string_view text) {
    constexpr std::size_t longest = 1 << 20;
    if (text.empty() || text.size() > longest || !is_strict_base64(text)) return std::nullopt;
    std::string bytes(text.size() / 4 * 3, '\0');
    const int length = ::EVP_DecodeBlock(reinterpret_cast<unsigned char*>(bytes.data()),
                                         reinterpret_cast<const unsigned char*>(text.data()),
                                         static_cast<int>(text.size()));
    if (length < 0) return std::nullopt;
    // EVP_DecodeBlock counts the padding as zero bytes of data.
    std::size_t padding = 0;
    while (padding < 2 && text[text.size() - 1 - padding] == '=') ++padding;
    bytes.resize(static_cast<std::size_t>(length) - padding);
    return bytes;
}

std::string encode_base64(std::string_view bytes) {
    // EVP_EncodeBlock ends what it writes with a zero byte.
    std::string text((bytes.size() + 2) / 3 * 4 + 1, '\0');
    const int length = ::EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()),
                                         reinterpret_cast<const unsigned char*>(bytes.data()),
                                         static_cast<int>(bytes.size()));
    text.resize(static_cast<std::size_t>(length));
    return text;
}

}  // namespace gpumuster
