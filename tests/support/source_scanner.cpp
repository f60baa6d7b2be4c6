#include "support/source_scanner.hpp"

#include <algorithm>
#include <filesystem>

#include "support/catch.hpp"
#include "support/program.hpp"

namespace gpumuster::test {
namespace {

bool is_word_character(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

int line_at(std::string_view text, std::size_t at) {
    return 1 +
           static_cast<int>(std::count(text.begin(), text.begin() + static_cast<long>(at), '\n'));
}

// The word that ends just before `end`.
std::string_view word_before(std::string_view text, std::size_t end) {
    std::size_t begin = end;
    while (begin > 0 && is_word_character(text[begin - 1])) --begin;
    return text.substr(begin, end - begin);
}

std::size_t skip_blanks_back(std::string_view text, std::size_t end) {
    while (end > 0 && is_blank(text[end - 1])) --end;
    return end;
}

enum class Literals { keep, blank };

class Blanker {
public:
    Blanker(std::string_view source, Literals literals)
        : source_(source), text_(source), literals_(literals) {}

    std::string run() {
        while (at_ < source_.size()) step();
        return std::move(text_);
    }

private:
    void step() {
        const std::string_view rest = source_.substr(at_);
        if (rest.starts_with("//")) return blank_to(source_.find('\n', at_));
        if (rest.starts_with("/*")) {
            const std::size_t close = source_.find("*/", at_ + 2);
            return blank_to(close == std::string_view::npos ? close : close + 2);
        }
        if (rest.front() == '"') return is_raw() ? pass_raw_string() : pass_literal();
        if (rest.front() == '\'' && !is_digit_separator()) return pass_literal();
        ++at_;
    }

    bool is_raw() const {
        const std::string_view prefix = word_before(source_, at_);
        return prefix == "R" || prefix == "u8R" || prefix == "uR" || prefix == "UR" ||
               prefix == "LR";
    }

    // 60'000 is one number, which may hold several separators.
    bool is_digit_separator() const {
        std::size_t begin = at_;
        while (begin > 0 && (is_word_character(source_[begin - 1]) || source_[begin - 1] == '\'')) {
            --begin;
        }
        return begin < at_ && source_[begin] >= '0' && source_[begin] <= '9';
    }

    void pass_literal() {
        const char quote = source_[at_];
        std::size_t end = at_ + 1;
        while (end < source_.size() && source_[end] != quote && source_[end] != '\n') {
            end += source_[end] == '\\' ? 2 : 1;
        }
        pass_contents(at_ + 1, end, 1);
    }

    void pass_raw_string() {
        const std::size_t open = source_.find('(', at_);
        if (open == std::string_view::npos) return blank_to(open);
        const std::string close = ")" + std::string(source_.substr(at_ + 1, open - at_ - 1)) + "\"";
        pass_contents(at_ + 1, source_.find(close, open), close.size());
    }

    void pass_contents(std::size_t begin, std::size_t end, std::size_t close) {
        end = std::min(end, source_.size());
        if (literals_ == Literals::blank) blank(begin, end + close - 1);
        at_ = std::min(end + close, source_.size());
    }

    void blank_to(std::size_t end) {
        end = std::min(end, source_.size());
        blank(at_, end);
        at_ = end;
    }

    void blank(std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < std::min(end, text_.size()); ++i) {
            if (text_[i] != '\n') text_[i] = ' ';
        }
    }

    std::string_view source_;
    std::string text_;
    Literals literals_;
    std::size_t at_ = 0;
};

std::vector<std::size_t> places_of_word(std::string_view code, std::string_view word) {
    std::vector<std::size_t> places;
    for (std::size_t at = code.find(word); at != std::string_view::npos;
         at = code.find(word, at + 1)) {
        const std::size_t end = at + word.size();
        const bool begins = at == 0 || !is_word_character(code[at - 1]);
        const bool ends = end == code.size() || !is_word_character(code[end]);
        if (begins && ends) places.push_back(at);
    }
    return places;
}

// The brackets that are open where an expression stands, within its own statement.
struct Surroundings {
    int open = 0;
    bool is_condition = false;  // the outermost bracket belongs to if, while, for or switch
};

Surroundings surroundings_of(std::string_view code, std::size_t at) {
    Surroundings found;
    int closed = 0;
    for (std::size_t i = at; i > 0; --i) {
        const char c = code[i - 1];
        if (closed == 0 && (c == ';' || c == '{' || c == '}')) break;
        if (c == ')' || c == ']') ++closed;
        if (c != '(' && c != '[') continue;
        if (closed > 0) {
            --closed;
            continue;
        }
        ++found.open;
        const std::string_view word = word_before(code, skip_blanks_back(code, i - 1));
        found.is_condition = word == "if" || word == "while" || word == "for" || word == "switch" ||
                             word == "constexpr";
    }
    return found;
}

// A bracket that begins a value; after a value it is an index.
bool begins_lambda(std::string_view code, std::size_t bracket) {
    const std::size_t end = skip_blanks_back(code, bracket);
    if (end == 0) return true;
    const char before = code[end - 1];
    if (before == ')' || before == ']') return false;
    if (!is_word_character(before)) return true;
    const std::string_view word = word_before(code, end);
    return word == "co_await" || word == "return" || word == "co_return";
}

std::string unsafe_part(std::string_view code, std::size_t await) {
    const Surroundings around = surroundings_of(code, await);
    int depth = around.open;
    for (std::size_t i = await + std::string_view("co_await").size(); i < code.size(); ++i) {
        switch (code[i]) {
            case '[':
                if (begins_lambda(code, i)) return "a lambda";
                ++depth;
                break;
            case '(':
                ++depth;
                break;
            case ')':
            case ']':
                --depth;
                if (depth == 0 && around.is_condition) return {};
                break;
            case '{':
                // Below the start of the statement it is the body of what encloses it.
                return depth < 0 ? "" : "a brace";
            case '?':
                return "a conditional";
            case ';':
            case '}':
                return {};
            default:
                break;
        }
    }
    return {};
}

}  // namespace

std::string without_comments(std::string_view source) {
    return Blanker(source, Literals::keep).run();
}

std::string without_comments_and_literals(std::string_view source) {
    return Blanker(source, Literals::blank).run();
}

std::vector<Include> includes_of(std::string_view source) {
    const std::string code = without_comments(source);
    std::vector<Include> includes;
    for (const std::size_t at : places_of_word(without_comments_and_literals(source), "include")) {
        const std::size_t hash = skip_blanks_back(code, at);
        if (hash == 0 || code[hash - 1] != '#') continue;
        const std::size_t open = code.find_first_of("<\"\n", at);
        if (open == std::string::npos || code[open] == '\n') continue;
        const std::size_t close = code.find_first_of(">\"\n", open + 1);
        includes.push_back(
            {line_at(code, at), code.substr(open + 1, close - open - 1), code[open] == '"'});
    }
    return includes;
}

std::vector<int> lines_with_word(std::string_view source, std::string_view word) {
    const std::string code = without_comments_and_literals(source);
    std::vector<int> lines;
    for (const std::size_t at : places_of_word(code, word)) lines.push_back(line_at(code, at));
    return lines;
}

std::vector<UnsafeAwait> unsafe_awaits(std::string_view source) {
    const std::string code = without_comments_and_literals(source);
    std::vector<UnsafeAwait> found;
    for (const std::size_t at : places_of_word(code, "co_await")) {
        const std::string what = unsafe_part(code, at);
        if (!what.empty()) found.push_back({line_at(code, at), what});
    }
    return found;
}

std::vector<SourceFile> project_sources() {
    namespace fs = std::filesystem;
    const fs::path root = GPUMUSTER_SOURCE_DIR;
    std::vector<SourceFile> files;
    for (const char* folder : {"lib", "apps"}) {
        for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
            const std::string ending = entry.path().extension().string();
            if (ending != ".hpp" && ending != ".cpp") continue;
            files.push_back({fs::relative(entry.path(), root).generic_string(),
                             read_file(entry.path().string())});
        }
    }
    REQUIRE_FALSE(files.empty());
    std::sort(files.begin(), files.end(),
              [](const SourceFile& a, const SourceFile& b) { return a.path < b.path; });
    return files;
}

}  // namespace gpumuster::test
