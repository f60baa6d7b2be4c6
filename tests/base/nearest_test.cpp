#include "gpumuster/base/nearest.hpp"

#include <vector>

#include "support/catch.hpp"

using namespace gpumuster;

namespace {

const std::vector<std::string> keys{"address", "port",      "user",  "identity",
                                    "jump",    "container", "table", "json"};

}  // namespace

TEST_CASE("a slip of the finger finds the word that was meant") {
    CHECK(nearest("jmp", keys) == "jump");
    CHECK(nearest("prot", keys) == "port");
    CHECK(nearest("tabel", keys) == "table");
    CHECK(nearest("adress", keys) == "address");
    CHECK(nearest("identiy", keys) == "identity");
    CHECK(nearest("contianers", keys) == "container");
    CHECK(nearest("JSON", keys) == "json");
    CHECK(nearest("Prot", keys) == "port");
}

TEST_CASE("a word that is far from all of them finds none") {
    CHECK_FALSE(nearest("yaml", keys).has_value());
    CHECK_FALSE(nearest("forks", keys).has_value());
    CHECK_FALSE(nearest("portable", keys).has_value());
    CHECK_FALSE(nearest("x", std::vector<std::string>{"y", "z"}).has_value());
    CHECK_FALSE(nearest("", std::vector<std::string>{"a", ""}).has_value());
    CHECK_FALSE(nearest("port", {}).has_value());
}

TEST_CASE("a long word may differ in a third of its letters and no more") {
    const std::vector<std::string> names{"abcdef"};
    CHECK(nearest("abcdxy", names) == "abcdef");
    CHECK_FALSE(nearest("abcxyz", names).has_value());
}

TEST_CASE("the nearest of several wins, the first of equals") {
    CHECK(nearest("node12", std::vector<std::string>{"node01", "node11", "node13", "node012"}) ==
          "node11");
    CHECK(nearest("ab", std::vector<std::string>{"abc", "ba"}) == "abc");
}

TEST_CASE("the suggestion is the end of a message, or nothing") {
    CHECK(did_you_mean("jmp", keys) == "; did you mean \"jump\"?");
    CHECK(did_you_mean("nothing like it", keys).empty());
}
