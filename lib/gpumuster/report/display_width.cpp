#include "gpumuster/report/display_width.hpp"

#include <algorithm>
#include <array>
#include <span>

namespace gpumuster {
namespace {

struct CodeRange {
    char32_t first, last;
};

// Unicode's EastAsianWidth.txt, classes W and F, as whole blocks.
constexpr std::array<CodeRange, 15> wide_ranges{{
    {0x1100, 0x115f},
    {0x2e80, 0x303e},
    {0x3041, 0x33ff},
    {0x3400, 0x4dbf},
    {0x4e00, 0x9fff},
    {0xa000, 0xa4cf},
    {0xa960, 0xa97c},
    {0xac00, 0xd7a3},
    {0xf900, 0xfaff},
    {0xfe30, 0xfe6f},
    {0xff00, 0xff60},
    {0xffe0, 0xffe6},
    {0x1f300, 0x1f64f},
    {0x1f680, 0x1faff},
    {0x20000, 0x3fffd},
}};
// Combining marks, joiners and variation selectors.
constexpr std::array<CodeRange, 4> zero_ranges{
    {{0x0300, 0x036f}, {0x200b, 0x200d}, {0x20d0, 0x20f0}, {0xfe00, 0xfe0f}}};

bool is_in(std::span<const CodeRange> ranges, char32_t code) {
    return std::ranges::any_of(
        ranges, [code](CodeRange range) { return code >= range.first && code <= range.last; });
}

// Takes one character off the front of `text`, which is well-formed and not empty.
char32_t take_character(std::string_view& text) {
    const auto lead = static_cast<unsigned char>(text.front());
    const std::size_t length = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    char32_t code = length == 1 ? lead : lead & (0x7fu >> length);
    for (std::size_t i = 1; i < std::min(length, text.size()); ++i) {
        code = code << 6 | (static_cast<unsigned char>(text[i]) & 0x3fu);
    }
    text.remove_prefix(std::min(length, text.size()));
    return code;
}

}  // namespace

std::size_t display_width(std::string_view text) {
    std::size_t width = 0;
    while (!text.empty()) {
        const char32_t code = take_character(text);
        if (code < 0x300) {
            ++width;
        } else if (!is_in(zero_ranges, code)) {
            width += is_in(wide_ranges, code) ? 2 : 1;
        }
    }
    return width;
}

}  // namespace gpumuster
