#include "apps/gpumuster/help.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <sstream>
#include <vector>

#include "apps/gpumuster/command_line.hpp"
#include "support/catch.hpp"

using namespace gpumuster;

namespace {

std::string file_text(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

// Whether `name` stands in the text as a word of its own: "--port" does not stand in "--ports".
bool mentions(std::string_view text, std::string_view name) {
    const auto is_word = [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) || c == '-';
    };
    for (std::size_t at = text.find(name); at != text.npos; at = text.find(name, at + 1)) {
        const bool begins = at == 0 || !is_word(text[at - 1]);
        const std::size_t end = at + name.size();
        if (begins && (end == text.size() || !is_word(text[end]))) return true;
    }
    return false;
}

}  // namespace

TEST_CASE("the help text explains every option") {
    for (const std::string& name : option_names()) {
        CAPTURE(name);
        CHECK(mentions(help_text(), name));
    }
}

TEST_CASE("the page on the command line explains every option") {
    const std::string page = file_text(GPUMUSTER_SOURCE_DIR "/docs/command-line.md");
    for (const std::string& name : option_names()) {
        CAPTURE(name);
        CHECK(mentions(page, name));
    }
}

TEST_CASE("the help text fits a terminal of 100 columns") {
    std::istringstream lines{std::string(help_text())};
    for (std::string line; std::getline(lines, line);) {
        CAPTURE(line);
        CHECK(line.size() <= 100);
    }
}

TEST_CASE("the first steps are five lines") {
    const std::string_view text = first_steps_text();
    CHECK(std::count(text.begin(), text.end(), '\n') == 5);
    CHECK_THAT(std::string(text), ContainsSubstring("gpumuster -i fleet.yaml"));
    CHECK_THAT(std::string(text), ContainsSubstring("gpumuster --local"));
    CHECK_THAT(std::string(text), ContainsSubstring("./scripts/try"));
}

TEST_CASE("the version text names every library with a version, one a line") {
    std::istringstream lines(version_text());
    std::vector<std::string> names;
    for (std::string line; std::getline(lines, line);) {
        CAPTURE(line);
        const std::size_t blank = line.find(' ');
        REQUIRE(blank != line.npos);
        REQUIRE(blank + 1 < line.size());
        CHECK(std::isdigit(static_cast<unsigned char>(line[blank + 1])));
        names.push_back(line.substr(0, blank));
    }
    CHECK(names == std::vector<std::string>{"gpumuster", "libssh", "OpenSSL", "yaml-cpp",
                                            "nlohmann-json", "CLI11", "fmt", "spdlog", "Asio"});
}
