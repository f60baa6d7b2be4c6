#include "gpumuster/transport/settings/path_expansion.hpp"

#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "support/catch.hpp"

using namespace gpumuster;

namespace {

using Words = std::vector<std::string>;

PathTokens tokens() {
    PathTokens all;
    all.home = "/home/anna";
    all.local_user = "anna";
    all.machine_name = "desk.example.com";
    all.name = "gpu1";
    all.address = "10.0.0.7";
    all.port = 2222;
    all.user = "root";
    all.jump_host = "door";
    all.variable = [](const std::string& name) -> std::optional<std::string> {
        if (name == "KEYS") return "/keys%h";
        if (name == "NOTHING") return "";
        return {};
    };
    return all;
}

std::string expanded(const std::string& text) {
    const auto path = expand_path(text, tokens());
    return path ? *path : "trouble: " + path.error();
}

Words split(const std::string& line, const Words& existing = {}) {
    return split_file_list(line, [&](const std::string& path) {
        return std::find(existing.begin(), existing.end(), path) != existing.end();
    });
}

}  // namespace

TEST_CASE("each token of a file name stands for what ssh puts there") {
    CHECK(expanded("/k/%h-%n-%p-%r-%u-%d") == "/k/10.0.0.7-gpu1-2222-root-anna-/home/anna");
    CHECK(expanded("/k/%L-%l-%j-%%h") == "/k/desk-desk.example.com-door-%h");
    CHECK(expanded("/k/%i") == "/k/" + std::to_string(::getuid()));
    CHECK(expanded("/k/%k") == "/k/gpu1");
    PathTokens with_more = tokens();
    with_more.key_alias = "alias";
    with_more.connection_hash = "4f8e";
    CHECK(*expand_path("/k/%k.%C", with_more) == "/k/alias.4f8e");
}

TEST_CASE("a tilde and a variable are expanded once, and only where ssh does") {
    CHECK(expanded("~/.ssh/id") == "/home/anna/.ssh/id");
    CHECK(expanded("~") == "/home/anna");
    CHECK(expanded("~root/x").starts_with("/"));
    CHECK(expanded("/a/~/b") == "/a/~/b");
    CHECK(expanded("${KEYS}/x") == "/keys%h/x");
    CHECK(expanded("/a${NOTHING}/b") == "/a/b");
    CHECK(expanded("/a$b/$") == "/a$b/$");
}

TEST_CASE("a file name that ssh would refuse is refused by name") {
    CHECK(expanded("~/%Z") == R"(trouble: unknown token %Z in "/home/anna/%Z")");
    // Not asked for, so not known.
    CHECK(expanded("/k/%C") == R"(trouble: unknown token %C in "/k/%C")");
    CHECK(expanded("/k/%") == R"(trouble: a lone % ends "/k/%")");
    CHECK(expanded("/${UNSET}/k") ==
          R"(trouble: the variable "UNSET" in "/${UNSET}/k" is not set)");
    CHECK(expanded("/${KEYS") == R"(trouble: no } in "/${KEYS")");
    CHECK(expanded("~nobody-has-this-name/k") ==
          R"(trouble: no user "nobody-has-this-name" for "~nobody-has-this-name/k")");
    PathTokens without = tokens();
    without.variable = nullptr;
    CHECK_FALSE(expand_path("${HOME}/k", without).has_value());
}

TEST_CASE("a relative file name is one of the folder that we are in, as for ssh") {
    CHECK(expanded("keys/%n") == std::filesystem::current_path().string() + "/keys/gpu1");
}

TEST_CASE("a line of files is split where a new file begins") {
    CHECK(split("").empty());
    CHECK(split("/a/one") == Words{"/a/one"});
    CHECK(split("/a/one /b/two ~/three") == Words{"/a/one", "/b/two", "~/three"});
    CHECK(split("/a/one  /b/two") == Words{"/a/one", "/b/two"});
    CHECK(split("none") == Words{"none"});
}

TEST_CASE("a blank in the name of a file does not split it") {
    CHECK(split("/a/with blank/kh /b/two") == Words{"/a/with blank/kh", "/b/two"});
    CHECK(split("/a/two  blanks /b/two", {"/a/two  blanks"}) == Words{"/a/two  blanks", "/b/two"});
    CHECK(split("/a/one /b", {"/a/one /b"}) == Words{"/a/one /b"});
    // A relative name beside a file that is there.
    CHECK(split("/a/one two", {"/a/one"}) == Words{"/a/one", "two"});
    CHECK(split("/a/one two", {"/a/one", "/a/one two"}) == Words{"/a/one two"});
    CHECK(split("one two") == Words{"one", "two"});
}
