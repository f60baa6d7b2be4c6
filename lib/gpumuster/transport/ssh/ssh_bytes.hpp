#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gpumuster {

// Reads what SSH and its agents write: bytes, big-endian numbers, strings with their length before
// them. What does not fit into the text is empty; nothing is read past its end.
class SshBytes {
public:
    explicit SshBytes(std::string_view text) : rest_(text) {}

    std::optional<std::uint8_t> byte() {
        if (rest_.empty()) return std::nullopt;
        const auto value = static_cast<std::uint8_t>(rest_.front());
        rest_.remove_prefix(1);
        return value;
    }
    std::optional<std::uint32_t> number() {
        if (rest_.size() < 4) return std::nullopt;
        std::uint32_t value = 0;
        for (int i = 0; i < 4; ++i) value = value << 8 | *byte();
        return value;
    }
    // Refers to the text.
    std::optional<std::string_view> string() {
        const std::string_view before = rest_;
        const std::optional<std::uint32_t> size = number();
        if (!size || *size > rest_.size()) {
            rest_ = before;
            return std::nullopt;
        }
        const std::string_view value = rest_.substr(0, *size);
        rest_.remove_prefix(*size);
        return value;
    }

    std::string_view rest() const { return rest_; }

private:
    std::string_view rest_;
};

inline std::string number_field(std::uint32_t value) {
    std::string text;
    for (int shift = 24; shift >= 0; shift -= 8) text.push_back(static_cast<char>(value >> shift));
    return text;
}

inline std::string string_field(std::string_view value) {
    return number_field(static_cast<std::uint32_t>(value.size())) + std::string(value);
}

}  // namespace gpumuster
