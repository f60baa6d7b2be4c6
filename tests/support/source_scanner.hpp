#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gpumuster::test {

// The project's own C++ as text, for tests that hold rules against it. Not a parser: it knows
// comments, literals, brackets and words.

struct SourceFile {
    std::string path;  // from the root of the project: "lib/gpumuster/base/result.hpp"
    std::string text;
};

// Every .hpp and .cpp under lib/ and apps/, by path.
std::vector<SourceFile> project_sources();

// The same text with comments as blanks, so that lines and columns stay what they were; the second
// also blanks what stands inside of string and character literals.
std::string without_comments(std::string_view source);
std::string without_comments_and_literals(std::string_view source);

struct Include {
    int line = 0;
    std::string header;
    bool is_quoted = false;  // "x" and not <x>
};
std::vector<Include> includes_of(std::string_view source);

// The lines of code in which a word stands by itself. It may be qualified: "asio::detached".
std::vector<int> lines_with_word(std::string_view source, std::string_view word);

struct UnsafeAwait {
    int line = 0;
    std::string what;  // "a brace", "a lambda", "a conditional"
};

// What g++ 12 compiles wrongly (a temporary freed twice or used after it was freed): between
// `co_await` and the end of its statement, or of the condition it stands in, a brace, a lambda or
// a conditional. The first one for each co_await.
std::vector<UnsafeAwait> unsafe_awaits(std::string_view source);

}  // namespace gpumuster::test
