#include "gpumuster/transport/trust/host_pattern.hpp"

#include "support/catch.hpp"

using namespace gpumuster;

namespace {

struct Case {
    std::string name;
    std::string patterns;
};

}  // namespace

TEST_CASE("a pattern list matches a host") {
    const Case one = GENERATE(values<Case>({
        {"gpu1", "gpu1"},
        {"gpu1", "GPU1"},
        {"GPU1", "gpu1"},
        {"gpu1", "cpu1,gpu1,tpu1"},
        {"gpu1", "gpu?"},
        {"gpu1", "????"},
        {"gpu1", "*"},
        {"gpu1", "gpu1*"},
        {"gpu1", "*gpu1"},
        {"gpu1", "g*u*1"},
        {"gpu1", "g**1"},
        {"aXbXc", "a*x*c"},
        {"node12.cluster", "*.cluster,!node13.*"},
        {"[10.0.0.7]:2222", "[10.0.0.*]:2222"},
        {"[gpu1]:2222", "[gpu1]:*"},
        {"2001:db8::7", "2001:db8::*"},
        {"gpu1", ",gpu1,"},
        {"*b", "*b"},
        {"*ab", "*b"},
        {"", "*"},
    }));
    INFO(one.name << " " << one.patterns);
    CHECK(matches_pattern_list(one.name, one.patterns));
}

TEST_CASE("a pattern list does not match a host") {
    const Case one = GENERATE(values<Case>({
        {"gpu1", ""},
        {"gpu1", ","},
        {"gpu1", "gpu"},
        {"gpu1", "gpu11"},
        {"gpu1", "gpu1?"},
        {"gpu1", "???"},
        {"gpu1", "*2"},
        {"gpu1", "!gpu2"},
        {"gpu1", "!gpu1"},
        {"gpu1", "*,!gpu1"},
        {"gpu1", "!gpu1,*"},
        {"gpu1", "gpu1,!GPU?"},
        {"[127.0.0.1]:22022", "[127.0.0.*]:22022,![127.0.0.1]:22022"},
        {"gpu1", "[gpu1]"},
        {"gpu1", "gpu[0-9]"},
        {"gpu1", " gpu1"},
        {"node13.cluster", "*.cluster,!node13.*"},
        {"", ""},
    }));
    INFO(one.name << " " << one.patterns);
    CHECK_FALSE(matches_pattern_list(one.name, one.patterns));
}

TEST_CASE("many stars against a long name come to an end") {
    std::string pattern;
    for (int i = 0; i < 500; ++i) pattern += "*a";
    const std::string name(100'000, 'a');
    CHECK_FALSE(matches_pattern_list(name, pattern + "*b"));
    CHECK(matches_pattern_list(name + "b", pattern + "*b"));
}

TEST_CASE("only stars, question marks and exclamation marks make a pattern list") {
    CHECK(is_pattern_list("gpu*"));
    CHECK(is_pattern_list("gpu?"));
    CHECK(is_pattern_list("gpu1,!gpu2"));
    CHECK_FALSE(is_pattern_list("gpu1,gpu2"));
    CHECK_FALSE(is_pattern_list("[gpu1]:22"));
    CHECK_FALSE(is_pattern_list(""));
}

TEST_CASE("lower case touches the letters of ASCII and no other byte") {
    CHECK(lower_case("GPU-Ä1[Z]@`{") == "gpu-Ä1[z]@`{");
}
