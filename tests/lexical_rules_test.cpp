// Rules about words and statements that no compiler holds.

#include <algorithm>

#include "support/catch.hpp"
#include "support/source_scanner.hpp"

using namespace gpumuster::test;

namespace {

struct WordRule {
    std::string word;
    std::vector<std::string> allowed;  // beginnings of paths
    std::string reason;
};

const std::vector<WordRule> word_rules{
    {"detached", {}, "every coroutine is joined"},
    {"awaitable_operators", {}, "its || turns an exception into a timeout; use Wire::wait"},
    {"fork", {}, "children come from transport/process"},
    {"vfork", {}, "children come from transport/process"},
    {"popen", {}, "children come from transport/process"},
    {"std::system", {}, "children come from transport/process"},
    {"posix_spawn", {"lib/gpumuster/transport/process/"}, "the only place that starts children"},
    {"getenv",
     {"lib/gpumuster/inventory/", "lib/gpumuster/fleet/", "apps/"},
     "the environment is read at the rim"},
    {"random_device",
     {"lib/gpumuster/fleet/", "apps/"},
     "chance is passed in, so that a test can set it"},
    {"system_clock::now",
     {"lib/gpumuster/fleet/", "apps/"},
     "the time of day is passed in, so that a test can set it"},
    {"ssh_userauth_publickey_auto", {}, "it writes .pub files, asks, and reads keys per session"},
};

std::vector<std::string> word_troubles(const SourceFile& file) {
    std::vector<std::string> troubles;
    for (const WordRule& rule : word_rules) {
        const bool is_allowed =
            std::any_of(rule.allowed.begin(), rule.allowed.end(),
                        [&](const std::string& place) { return file.path.starts_with(place); });
        if (is_allowed) continue;
        for (const int line : lines_with_word(file.text, rule.word)) {
            troubles.push_back(file.path + ":" + std::to_string(line) + ": " + rule.word + ": " +
                               rule.reason);
        }
    }
    return troubles;
}

}  // namespace

TEST_CASE("words with a place of their own stand nowhere else") {
    for (const SourceFile& file : project_sources()) {
        for (const std::string& trouble : word_troubles(file)) FAIL_CHECK(trouble);
    }
}

TEST_CASE("no statement mixes co_await with a brace, a lambda or a conditional") {
    std::size_t awaits = 0;
    for (const SourceFile& file : project_sources()) {
        awaits += lines_with_word(file.text, "co_await").size();
        for (const UnsafeAwait& one : unsafe_awaits(file.text)) {
            FAIL_CHECK(file.path << ":" << one.line << ": " << one.what
                                 << " in one statement with co_await: make it a named local");
        }
    }
    CHECK(awaits > 20);
}

TEST_CASE("the word rules see what they forbid and where they allow it") {
    const std::string source = "f();\nconst char* home = std::getenv(\"HOME\");\n";
    CHECK(word_troubles({"lib/gpumuster/report/x.cpp", source}) ==
          std::vector<std::string>{
              "lib/gpumuster/report/x.cpp:2: getenv: the environment is read at the rim"});
    CHECK(word_troubles({"lib/gpumuster/inventory/x.cpp", source}).empty());
    CHECK(word_troubles({"lib/gpumuster/transport/trust/x.cpp", source}).size() == 1);
    CHECK(word_troubles({"lib/gpumuster/fleet/x.cpp", "asio::co_spawn(x, f(), asio::detached);"})
              .size() == 1);
    CHECK(word_troubles({"lib/gpumuster/probe/x.cpp", "auto n = std::chrono::system_clock::now();"})
              .size() == 1);
    CHECK(word_troubles({"lib/gpumuster/probe/x.cpp", "std::chrono::system_clock::time_point t;"})
              .empty());
    CHECK(word_troubles({"lib/gpumuster/probe/x.cpp", "// not std::random_device"}).empty());
}
