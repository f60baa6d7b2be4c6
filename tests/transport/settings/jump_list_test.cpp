#include "gpumuster/transport/settings/jump_list.hpp"

#include "support/catch.hpp"

using namespace gpumuster;

namespace {

// The list as -J takes it again; what was read of it in between is what counts.
std::string reread(const std::string& list) {
    const JumpTokens tokens{"10.0.0.7", "gpu1", 2222, "root"};
    const auto words = parse_jump_list(list, tokens);
    return words ? jump_text(*words) : "trouble: " + words.error();
}

}  // namespace

TEST_CASE("jump hosts are read as ssh reads them") {
    const auto words = parse_jump_list("anna@door:2200,[2001:db8::7]:22,ssh://ops@in:7/,c", {});
    REQUIRE(words.has_value());
    REQUIRE(words->size() == 4);
    CHECK((*words)[0].name == "door");
    CHECK((*words)[0].user == "anna");
    CHECK((*words)[0].port == std::uint16_t{2200});
    CHECK((*words)[1].name == "2001:db8::7");
    CHECK_FALSE((*words)[1].user.has_value());
    CHECK((*words)[1].port == std::uint16_t{22});
    CHECK((*words)[2].name == "in");
    CHECK((*words)[2].user == "ops");
    CHECK((*words)[2].port == std::uint16_t{7});
    CHECK((*words)[3].name == "c");
    CHECK_FALSE((*words)[3].port.has_value());
    CHECK(jump_text(*words) == "anna@door:2200,[2001:db8::7]:22,ops@in:7,c");
    CHECK(parse_jump_list("", {})->empty());
}

TEST_CASE("an at sign may be part of the user's name, and brackets need no port") {
    CHECK(reread("anna@corp@door") == "anna@corp@door");
    CHECK(reread("[::1]") == "[::1]");
}

TEST_CASE("the tokens of ProxyJump stand for the host that it is said for") {
    CHECK(reread("%r@door-%n:%p,in.%h") == "root@door-gpu1:2222,in.10.0.0.7");
    CHECK(reread("a%%b") == "a%b");
    CHECK(reread("a%Zb") ==
          R"(trouble: jump host "a%Zb" has a token that ProxyJump does not know)");
    CHECK(reread("a%") == R"(trouble: jump host "a%" has a token that ProxyJump does not know)");
}

TEST_CASE("what is no jump host is refused by name") {
    for (const char* list : {"door:0", "door:65536", "door:x", "anna@", ":22", "[::1", "[::1]x",
                             "a,,b", "-oProxyCommand=x", "ssh://"}) {
        CAPTURE(list);
        CHECK_THAT(reread(list), ContainsSubstring("trouble: jump host \""));
    }
}
