#include "gpumuster/inventory/container_words.hpp"

#include "support/catch.hpp"

using namespace gpumuster;

TEST_CASE("a container of docker has a name or an ID") {
    CHECK_FALSE(docker_name_fault("web"));
    CHECK_FALSE(docker_name_fault("4f66ad9a0b2e"));
    CHECK_FALSE(docker_name_fault("A_b.c-1"));
}

TEST_CASE("what a shell or docker could take for something else is no name of a container") {
    const auto text = GENERATE("", "-web", "_web", ".web", "we b", "web;id", "web'", "a/b",
                               "w\xc3\xa4", "a\nb", "$(id)");
    CAPTURE(text);
    REQUIRE(docker_name_fault(text));
    CHECK_THAT(*docker_name_fault(text), ContainsSubstring("letters, digits"));
}

TEST_CASE("a word of the command that enters a container is what every login shell hands on") {
    for (const char* word : {"podman", "--user=0", "it's", "a b", "$HOME", "`id`", "\"x\"", "~"}) {
        CAPTURE(word);
        CHECK_FALSE(entry_word_fault(word));
    }
    CHECK(entry_word_fault("") == "is empty");
    CHECK(entry_word_fault("a!b") == "has a '!', which not every login shell hands on");
    CHECK(entry_word_fault("a\\b") == "has a '\\', which not every login shell hands on");
    for (const char* word : {"a\nb", "a\tb", "\x7f", "w\xc3\xa4"}) {
        CAPTURE(word);
        CHECK(entry_word_fault(word) == "has a character that is not printable ASCII");
    }
}
