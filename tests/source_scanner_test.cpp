#include "support/source_scanner.hpp"

#include "support/catch.hpp"

using namespace gpumuster::test;

namespace {

std::string unsafe_in(const std::string& source) {
    std::string all;
    for (const UnsafeAwait& one : unsafe_awaits(source)) {
        if (!all.empty()) all += ", ";
        all += std::to_string(one.line) + " " + one.what;
    }
    return all;
}

}  // namespace

TEST_CASE("comments become blanks, and literals stay or become blanks as well") {
    CHECK(without_comments("a // b\nc /* d\n e */ f") == "a     \nc     \n      f");
    CHECK(without_comments("\"// no\" // yes") == "\"// no\"       ");
    CHECK(without_comments_and_literals("f(\"a;{\", '\\'', '{')") == "f(\"   \", '  ', ' ')");
    CHECK(without_comments_and_literals("\"a\\\"b\" c") == "\"    \" c");
    CHECK(without_comments_and_literals("\"/*\" a \"*/\"") == "\"  \" a \"  \"");
    CHECK(without_comments_and_literals("// don't\n{") == "        \n{");
}

TEST_CASE("a separator inside a number begins no literal") {
    CHECK(without_comments_and_literals("x{60'000}; // '") == "x{60'000};     ");
    CHECK(without_comments_and_literals("1'000'000, 'a'") == "1'000'000, ' '");
    CHECK(without_comments_and_literals("0xff'ff; u8'x'") == "0xff'ff; u8' '");
}

TEST_CASE("a raw string ends at its own mark") {
    CHECK(without_comments_and_literals("R\"(a\"b)\" c") == "R\"     \" c");
    CHECK(without_comments_and_literals("R\"x(a)\" // )x\" c") == "R\"           \" c");
    CHECK(without_comments_and_literals("VAR\"(\" c") == "VAR\" \" c");
}

TEST_CASE("includes are found with their lines and only outside of comments") {
    const std::vector<Include> found = includes_of(
        "#pragma once\n"
        "#include \"gpumuster/base/result.hpp\"\n"
        "  #  include <fmt/format.h>  // <vector>\n"
        "// #include <asio.hpp>\n"
        "/* #include <thread> */\n"
        "#if __has_include(<catch2/catch.hpp>)\n"
        "const char* include = \"#include <x>\";\n");
    REQUIRE(found.size() >= 2);
    CHECK(found[0].header == "gpumuster/base/result.hpp");
    CHECK(found[0].is_quoted);
    CHECK(found[0].line == 2);
    CHECK(found[1].header == "fmt/format.h");
    CHECK_FALSE(found[1].is_quoted);
    CHECK(found[1].line == 3);
    CHECK(found.size() == 2);
}

TEST_CASE("a word is found by itself, qualified or not") {
    const std::string code =
        "auto a = std::getenv(\"x\");\n"
        "auto b = secure_getenv(x);\n"
        "// getenv\n"
        "log(\"getenv\");\n"
        "getenv_all(); ::getenv(x);\n";
    CHECK(lines_with_word(code, "getenv") == std::vector<int>{1, 5});
    CHECK(lines_with_word(code, "std::getenv") == std::vector<int>{1});
    CHECK(lines_with_word(code, "get").empty());
}

TEST_CASE("plain operands of co_await are safe") {
    const std::string source = GENERATE(values<std::string>({
        "co_await f(a, b[i], c(d));",
        "const Wake wake = co_await signal->wait(std::min(end, deadline));",
        "auto r = co_await f(\"{ ? [\", '{', 60'000);",
        "co_return co_await wire_.wait(want, deadline); if (x) { y ? 1 : 2; }",
        "if (co_await signal->wait(look) == Wake::cancelled) break;",
        "if (!child.has_ended()) co_await end_child(); const int x{1};",
        "if (co_await f()) { g({1}); }",
        "while (co_await f()) x = a ? b : c;",
        "for (const auto& x : co_await f()) { y(); }",
        "switch (co_await f(a)) { default: break; }",
        "if (const auto r = co_await f(); r) { g(); }",
        "for (int i = 0; i < co_await n(); ++i) { g(); }",
        "spawn([&]() -> asio::awaitable<void> { co_await f(); });",
        "Order order{1, 2}; co_await f(std::move(order)); Order other{3};",
        "co_await asio::this_coro::executor;",
        "x = a ? b : c; co_await f(x);",
        "// co_await f({1});",
        "co_awaited({1});",
    }));
    INFO(source);
    CHECK(unsafe_in(source).empty());
}

TEST_CASE("braces, lambdas and conditionals in an operand of co_await are found") {
    CHECK(unsafe_in("co_await f({1, 2});") == "1 a brace");
    CHECK(unsafe_in("co_await f(Order{});") == "1 a brace");
    CHECK(unsafe_in("co_await Order{1};") == "1 a brace");
    CHECK(unsafe_in("x = co_await f(a, Order{.a = 1});") == "1 a brace");
    CHECK(unsafe_in("g(co_await f(), {1});") == "1 a brace");
    CHECK(unsafe_in("h(g(co_await f()), T{1});") == "1 a brace");
    CHECK(unsafe_in("(co_await f()).g(T{});") == "1 a brace");
    CHECK(unsafe_in("if (co_await f({1})) { g(); }") == "1 a brace");
    CHECK(unsafe_in("if (g(co_await f(), T{1})) { h(); }") == "1 a brace");
    CHECK(unsafe_in("co_await f([&](int x) { return x; });") == "1 a lambda");
    CHECK(unsafe_in("co_await f(a, [] { });") == "1 a lambda");
    CHECK(unsafe_in("co_await [&]() -> T { co_return; }();") == "1 a lambda");
    CHECK(unsafe_in("co_await f(a ? b : c);") == "1 a conditional");
    CHECK(unsafe_in("x = co_await f() ? a : b;") == "1 a conditional");
    CHECK(unsafe_in("while (co_await f(a ? b : c)) g();") == "1 a conditional");
}

TEST_CASE("each unsafe co_await is found with the line it begins on") {
    CHECK(
        unsafe_in("a;\nco_await f(\n    // a note\n    T{1});\nco_await g();\nco_await h({});\n") ==
        "2 a brace, 6 a brace");
}

TEST_CASE("the project's own sources are found") {
    bool has_this_library = false;
    for (const SourceFile& file : project_sources()) {
        has_this_library |= file.path == "lib/gpumuster/base/result.hpp" && !file.text.empty();
        CHECK((file.path.starts_with("lib/") || file.path.starts_with("apps/")));
    }
    CHECK(has_this_library);
}
