#include "gpumuster/base/safe_text.hpp"

#include <string>
#include <utility>
#include <vector>

#include "support/catch.hpp"

using namespace gpumuster;
using namespace std::string_literals;

namespace {

struct Case {
    std::string bytes;
    std::string shown;
};

void check_all(const std::vector<Case>& cases) {
    for (const Case& example : cases) {
        CAPTURE(example.shown);
        CHECK(make_safe(example.bytes) == example.shown);
    }
}

}  // namespace

TEST_CASE("ordinary text stays as it is") {
    check_all({
        {"", ""},
        {"NVIDIA H100 80GB HBM3", "NVIDIA H100 80GB HBM3"},
        {"naïve · 8 × RTX 漢字 😀", "naïve · 8 × RTX 漢字 😀"},
        {"DOM\\user ~ \"quoted\"", "DOM\\user ~ \"quoted\""},
    });
}

TEST_CASE("control characters become visible") {
    check_all({
        {"\x1b[31mred\x1b[0m", "\\x1b[31mred\\x1b[0m"},
        {"a\tb\r\nc", "a\\x09b\\x0d\\x0ac"},
        {"nul\0here"s, "nul\\x00here"},
        {"\x7f", "\\x7f"},
        {"C1 \xc2\x9b\x33\x31m", "C1 \\x9b31m"},
        {"next line \xc2\x85", "next line \\x85"},
        {"\xc2\xa0", "\xc2\xa0"},  // the first character after C1
    });
}

TEST_CASE("characters that reorder or break text become visible") {
    check_all({
        {"a\xe2\x80\xae"
         "b",
         "a\\u{202e}b"},
        {"\xe2\x80\xaa\xe2\x81\xa6\xe2\x81\xa9", "\\u{202a}\\u{2066}\\u{2069}"},
        {"\xe2\x80\x8e\xe2\x80\x8f\xd8\x9c", "\\u{200e}\\u{200f}\\u{61c}"},
        {"\xe2\x80\xa8\xe2\x80\xa9", "\\u{2028}\\u{2029}"},
        {"\xe2\x80\xa7\xe2\x80\xaf",
         "\xe2\x80\xa7\xe2\x80\xaf"},      // U+2027 and U+202F, next to them
        {"\xe2\x81\xaa", "\xe2\x81\xaa"},  // U+206A
    });
}

TEST_CASE("bytes that are no UTF-8 become visible one by one") {
    check_all({
        {"\xff\xfe", "\\xff\\xfe"},
        {"latin-1 \xe9t\xe9", "latin-1 \\xe9t\\xe9"},
        {"\x80", "\\x80"},
        {"\xc0\xaf", "\\xc0\\xaf"},           // overlong '/'
        {"\xe0\x80\xaf", "\\xe0\\x80\\xaf"},  // overlong in three
        {"\xf0\x80\x80\xaf", "\\xf0\\x80\\x80\\xaf"},
        {"\xed\xa0\x80", "\\xed\\xa0\\x80"},           // a surrogate
        {"\xed\x9f\xbf", "\xed\x9f\xbf"},              // the last before them
        {"\xf4\x8f\xbf\xbd", "\xf4\x8f\xbf\xbd"},      // U+10FFFD
        {"\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"},  // beyond U+10FFFF
        {"\xf5\x80\x80\x80", "\\xf5\\x80\\x80\\x80"},
        {"cut \xe6\xbc", "cut \\xe6\\xbc"},  // torn at the end
        {"\xe6\xbc"
         "A",
         "\\xe6\\xbc"
         "A"},  // the letter after a torn one survives
    });
}

TEST_CASE("a long text is cut between characters and says so") {
    CHECK(make_safe("12345678", 8) == "12345678");
    CHECK(make_safe("123456789", 8) == "12345…");
    CHECK(make_safe("1234×6789", 8) == "1234…");  // × would end at byte 6 of 5
    CHECK(make_safe("123×6789", 8) == "123×…");
    CHECK(make_safe("1234\x1b"
                    "56",
                    8) == "1234…");  // an escape is not torn either
    CHECK(make_safe("123456789", 3) == "…");
    CHECK(make_safe("123456789", 2) == "");
    CHECK(make_safe("12", 2) == "12");
    CHECK(make_safe("1", 0) == "");
}

TEST_CASE("no input makes more than the bytes asked for") {
    const std::string text = "a\x1b\xc3\x97\xe2\x80\xae\xff漢字 and more"s;
    for (std::size_t limit = 0; limit < 64; ++limit) {
        CHECK(make_safe(text, limit).size() <= limit);
        CHECK(quote_line(text, limit).size() <= limit);
    }
}

TEST_CASE("what was made safe once stays the same") {
    const std::string once = make_safe("a\x1b\xff\xe2\x80\xae");
    CHECK(make_safe(once) == once);
}

TEST_CASE("a quoted line is one line with single blanks") {
    CHECK(quote_line("  a \t b\r\n\r\nc  \n") == "a b c");
    CHECK(quote_line(" \n\t ") == "");
    CHECK(quote_line("a\x1b[0m") == "a\\x1b[0m");
    CHECK(quote_line("one two three", 10) == "one two…");
    CHECK(quote_line("1234567890", 10) == "1234567890");
    CHECK(quote_line("1234567890   \n", 10) == "1234567890");
    CHECK(quote_line(std::string(5000, 'x')).size() == 160);
}
