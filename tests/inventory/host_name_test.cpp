#include "gpumuster/inventory/host_name.hpp"

#include "support/catch.hpp"

using namespace gpumuster;

TEST_CASE("names and addresses that hosts have are taken") {
    const auto text = GENERATE("gpu1", "gpu-07.example.com", "gpu_node1", "GPU1", "1", "n.", "a-",
                               "10.0.0.7", "255.255.255.255", "::", "::1", "fe80::1%eth0",
                               "fe80::1%en-0.1", "2001:db8::7", "::ffff:10.0.0.7", "localhost");
    CAPTURE(text);
    CHECK_FALSE(host_name_fault(text).has_value());
}

TEST_CASE("what no host is named is refused with its reason") {
    CHECK(host_name_fault("") == "is empty");
    CHECK(host_name_fault("-oProxyCommand=x") == "begins with '-'");
    CHECK(host_name_fault(std::string(255, 'a')) == std::nullopt);
    CHECK(host_name_fault(std::string(256, 'a')) == "is longer than 255 characters");
    CHECK(host_name_fault("a b") == "has a blank, which no host name or address has");
    CHECK(host_name_fault("a@b") == "has a '@', which no host name or address has");
    CHECK(host_name_fault("gpu\n1") ==
          "has a character that is not printable ASCII, which no host name or address has");
    CHECK(host_name_fault("10.0.0.300") == "is not an IPv4 address such as 10.0.0.7");

    const auto text = GENERATE("a:1", "gpü", "a;b", "a$(b)", "a/b", "[::1]", "a,b", "a\\b", "a%b",
                               "::g", ":::", "1::2::3", "fe80::1%", "fe80::1%a/b", "10.1",
                               "010.0.0.1", "1.2.3.4.5", ".", "\x7f");
    CAPTURE(text);
    CHECK(host_name_fault(text).has_value());
}

TEST_CASE("a nul byte does not hide what follows it") {
    CHECK(host_name_fault(std::string{"::1\0x", 5}).has_value());
    CHECK(host_name_fault(std::string{"10.0.0.7\0", 9}).has_value());
    CHECK_FALSE(is_ipv6_address(std::string{"::1\0", 4}));
}

TEST_CASE("users of domains and machine accounts are taken") {
    const auto text =
        GENERATE("root", "anna.b", "DOM\\user", "user@corp", "svc$", "a;b", "_x", "0");
    CAPTURE(text);
    CHECK_FALSE(user_fault(text).has_value());
}

TEST_CASE("what is no user is refused with its reason") {
    CHECK(user_fault("") == "is empty");
    CHECK(user_fault("-l") == "begins with '-'");
    CHECK(user_fault("a b") == "has a blank");
    CHECK(user_fault("a\tb") == "has a blank");
    CHECK(user_fault("anna\x1b") == "has a character that is not printable ASCII");
    CHECK(user_fault("jürgen") == "has a character that is not printable ASCII");
}

TEST_CASE("a number behind a colon is told from an IPv6 address") {
    CHECK(is_name_with_number("node07:8"));
    CHECK(is_name_with_number("10.0.0.7:2222"));
    CHECK_FALSE(is_name_with_number("node07"));
    CHECK_FALSE(is_name_with_number("node07:"));
    CHECK_FALSE(is_name_with_number(":8"));
    CHECK_FALSE(is_name_with_number("node07:ssh"));
    CHECK_FALSE(is_name_with_number("fe80::1"));
}
