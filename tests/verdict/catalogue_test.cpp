#include "gpumuster/verdict/catalogue.hpp"

#include <fstream>
#include <set>
#include <sstream>
#include <stdexcept>

#include "support/catch.hpp"

using namespace gpumuster;

namespace {

std::string in_a_cell(std::string_view text) {
    std::string cell;
    for (const char c : text) cell += c == '|' ? std::string("\\|") : std::string(1, c);
    return cell;
}

// A row of the table in docs/findings.md.
std::string documented(const FindingKind& kind) {
    const std::string_view verdict =
        kind.severity == Severity::error ? verdict_name(kind.verdict) : "–";
    std::ostringstream row;
    row << "| `" << kind.code << "` | " << severity_name(kind.severity) << " | " << verdict << " | "
        << in_a_cell(kind.meaning) << " | " << in_a_cell(kind.next_step) << " |";
    return row.str();
}

}  // namespace

TEST_CASE("docs/findings.md holds the catalogue, row by row and nothing else") {
    std::ifstream file(GPUMUSTER_SOURCE_DIR "/docs/findings.md");
    REQUIRE(file);
    std::vector<std::string> rows;
    for (std::string line; std::getline(file, line);) {
        if (line.starts_with("| `")) rows.push_back(line);
    }
    std::vector<std::string> expected;
    for (const FindingKind& kind : catalogue()) expected.push_back(documented(kind));
    CHECK(rows == expected);
}

TEST_CASE("every kind of finding is whole and its code unique") {
    std::set<std::string_view> codes;
    for (const FindingKind& kind : catalogue()) {
        INFO(kind.code);
        CHECK(codes.insert(kind.code).second);
        CHECK(kind.code.find('.') != std::string_view::npos);
        CHECK(kind.code.find_first_not_of("abcdefghijklmnopqrstuvwxyz_.") ==
              std::string_view::npos);
        CHECK_FALSE(kind.meaning.empty());
        CHECK_FALSE(kind.next_step.empty());
        CHECK_FALSE(kind.meaning.ends_with('.'));
        CHECK_FALSE(kind.next_step.ends_with('.'));
        CHECK((kind.severity == Severity::error) == (kind.verdict != Verdict::clean));
        CHECK(kind.verdict != Verdict::unreachable);
        CHECK(&finding_kind(kind.code) == &kind);
    }
}

TEST_CASE("a code that the catalogue lacks is a programming error") {
    CHECK_THROWS_AS(finding_kind("gpu.unheard_of"), std::logic_error);
}
