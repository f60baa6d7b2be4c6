#include "gpumuster/transport/trust/base64.hpp"

#include "support/catch.hpp"

using gpumuster::decode_base64;

TEST_CASE("padded base64 becomes its bytes") {
    CHECK(decode_base64("Zg==") == "f");
    CHECK(decode_base64("Zm8=") == "fo");
    CHECK(decode_base64("Zm9v") == "foo");
    CHECK(decode_base64("Zm9vYmFy") == "foobar");
    CHECK(decode_base64("AAEC/+4=") == std::string("\x00\x01\x02\xff\xee", 5));
    CHECK(decode_base64("AAAA") == std::string(3, '\0'));
}

TEST_CASE("what is nearly base64 is none") {
    CHECK_FALSE(decode_base64(""));
    CHECK_FALSE(decode_base64("Zg"));
    CHECK_FALSE(decode_base64("Zg="));
    CHECK_FALSE(decode_base64("Zg==="));
    CHECK_FALSE(decode_base64("===="));
    CHECK_FALSE(decode_base64("Z==="));
    CHECK_FALSE(decode_base64("Zg==Zg=="));
    CHECK_FALSE(decode_base64("Z=9v"));
    CHECK_FALSE(decode_base64("Zm-_"));
    CHECK_FALSE(decode_base64("Zm9v----"));
    CHECK_FALSE(decode_base64("Zm9v\n\n\n\n"));
    CHECK_FALSE(decode_base64("    Zm9v"));
    CHECK_FALSE(decode_base64("Zm 9v AA"));
    CHECK_FALSE(decode_base64("Zm9\xc3"));
    CHECK_FALSE(decode_base64(std::string_view("Zm9\0", 4)));
}

TEST_CASE("base64 of more than a mebibyte is not decoded") {
    CHECK(decode_base64(std::string(1 << 20, 'A')).has_value());
    CHECK_FALSE(decode_base64(std::string((1 << 20) + 4, 'A')));
}

TEST_CASE("what is encoded decodes to the same bytes") {
    using gpumuster::encode_base64;
    CHECK(encode_base64("a") == "YQ==");
    CHECK(encode_base64("ab") == "YWI=");
    CHECK(encode_base64("abc") == "YWJj");
    CHECK(encode_base64("").empty());
    std::string bytes;
    for (int i = 0; i < 256; ++i) bytes.push_back(static_cast<char>(i));
    CHECK(gpumuster::decode_base64(encode_base64(bytes)) == bytes);
}
