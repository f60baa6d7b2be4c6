#include "gpumuster/base/safe_text.hpp"

#include <array>

#include <fmt/format.h>

namespace gpumuster {
namespace {

constexpr std::string_view cut_mark = "…";

struct Character {
    std::size_t length = 0;  // 0: the first byte starts no well-formed character
    char32_t code = 0;
};

// One row of the table of well-formed UTF-8 byte sequences (Unicode, table 3-7): the bounds of the
// second byte are what excludes overlong forms, surrogates and code points above U+10FFFF.
struct LeadByte {
    unsigned char first_low, first_high;
    std::size_t length;
    unsigned char second_low, second_high;
};
constexpr std::array<LeadByte, 8> lead_bytes{{
    {0xc2, 0xdf, 2, 0x80, 0xbf},
    {0xe0, 0xe0, 3, 0xa0, 0xbf},
    {0xe1, 0xec, 3, 0x80, 0xbf},
    {0xed, 0xed, 3, 0x80, 0x9f},
    {0xee, 0xef, 3, 0x80, 0xbf},
    {0xf0, 0xf0, 4, 0x90, 0xbf},
    {0xf1, 0xf3, 4, 0x80, 0xbf},
    {0xf4, 0xf4, 4, 0x80, 0x8f},
}};

Character decode_after_lead(std::string_view bytes, const LeadByte& lead) {
    if (bytes.size() < lead.length) return {};
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
    if (byte(1) < lead.second_low || byte(1) > lead.second_high) return {};
    // The lead byte of a sequence of n bytes carries 7 - n bits.
    char32_t code = byte(0) & (0x7fu >> lead.length);
    for (std::size_t i = 1; i < lead.length; ++i) {
        if ((byte(i) & 0xc0) != 0x80) return {};
        code = code << 6 | (byte(i) & 0x3fu);
    }
    return {lead.length, code};
}

Character decode(std::string_view bytes) {
    const auto first = static_cast<unsigned char>(bytes.front());
    if (first < 0x80) return {1, first};
    for (const LeadByte& lead : lead_bytes) {
        if (first >= lead.first_low && first <= lead.first_high) {
            return decode_after_lead(bytes, lead);
        }
    }
    return {};
}

bool is_control(char32_t code) {
    return code < 0x20 || (code >= 0x7f && code <= 0x9f);
}

// Marks, embeddings, overrides and isolates that change the order in which text is shown, and the
// two separators that some programs take for a line end.
bool changes_layout(char32_t code) {
    return code == 0x061c || code == 0x200e || code == 0x200f ||
           (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
}

void append_character(std::string& out, std::string_view bytes, Character character) {
    if (character.length == 0) {
        fmt::format_to(std::back_inserter(out), "\\x{:02x}",
                       static_cast<unsigned char>(bytes.front()));
        return;
    }
    const auto code = static_cast<unsigned>(character.code);
    if (is_control(character.code)) {
        fmt::format_to(std::back_inserter(out), "\\x{:02x}", code);
        return;
    }
    if (changes_layout(character.code)) {
        fmt::format_to(std::back_inserter(out), "\\u{{{:x}}}", code);
        return;
    }
    out.append(bytes.substr(0, character.length));
}

bool is_blank(char c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

}  // namespace

std::string make_safe(std::string_view bytes, std::size_t max_bytes) {
    std::string out;
    std::size_t room_for_mark = 0;  // the longest whole prefix that leaves room for the mark
    while (!bytes.empty() && out.size() <= max_bytes) {
        const Character character = decode(bytes);
        append_character(out, bytes, character);
        bytes.remove_prefix(character.length == 0 ? 1 : character.length);
        if (out.size() + cut_mark.size() <= max_bytes) room_for_mark = out.size();
    }
    if (out.size() <= max_bytes && bytes.empty()) return out;
    out.resize(room_for_mark);
    if (cut_mark.size() <= max_bytes) out += cut_mark;
    return out;
}

std::string quote_line(std::string_view bytes, std::size_t max_bytes) {
    // make_safe never shortens, so nothing beyond max_bytes and one character can be shown.
    constexpr std::size_t longest_character = 4;
    std::string line;
    bool blank_before = false;
    for (const char c : bytes) {
        if (line.size() > max_bytes + longest_character) break;
        if (is_blank(c)) {
            blank_before = !line.empty();
            continue;
        }
        if (blank_before) line += ' ';
        blank_before = false;
        line += c;
    }
    return make_safe(line, max_bytes);
}

}  // namespace gpumuster
