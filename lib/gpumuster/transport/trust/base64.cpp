#include "gpumuster/transport/trust/base64.hpp"

#include <openssl/evp.h>

#include <algorithm>

namespace gpumuster {
namespace {

// EVP_DecodeBlock drops dashes and blanks at the ends and reads "=" anywhere as zero bits.
bool is_strict_base64(std::string_view text) {
    constexpr std::string_view alphabet =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const std::size_t digits = std::min(text.find_first_not_of(alphabet), text.size());
    const std::string_view padding = text.substr(digits);
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

}  // namespace gpumuster
