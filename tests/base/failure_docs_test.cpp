#include <algorithm>
#include <fstream>
#include <map>
#include <vector>

#include "gpumuster/base/failure.hpp"
#include "support/catch.hpp"

using namespace gpumuster;

namespace {

using Row = std::vector<std::string>;

std::string trimmed(const std::string& text) {
    const std::size_t begin = text.find_first_not_of(" `");
    if (begin == std::string::npos) return {};
    return text.substr(begin, text.find_last_not_of(" `") - begin + 1);
}

// The cells of "| a | b |"; none for a line that is no row.
Row cells_of(const std::string& line) {
    Row cells;
    if (!line.starts_with('|')) return cells;
    for (std::size_t begin = 1; begin < line.size();) {
        const std::size_t end = std::min(line.find('|', begin), line.size());
        cells.push_back(trimmed(line.substr(begin, end - begin)));
        begin = end + 1;
    }
    return cells;
}

// The rows of the document's one table, without its head.
std::vector<Row> documented_rows() {
    std::ifstream file(std::string(GPUMUSTER_SOURCE_DIR) + "/docs/failures.md");
    REQUIRE(file.is_open());
    std::vector<Row> rows;
    for (std::string line; std::getline(file, line);) {
        Row cells = cells_of(line);
        if (!cells.empty()) rows.push_back(std::move(cells));
    }
    REQUIRE(rows.size() > 2);
    CHECK(rows[0] == Row{"kind", "stage", "meaning", "next step"});
    rows.erase(rows.begin(), rows.begin() + 2);
    return rows;
}

}  // namespace

TEST_CASE("docs/failures.md has each failure kind in the order of the table, word for word") {
    const std::vector<Row> rows = documented_rows();
    std::map<std::string, Row> by_id;
    for (const Row& row : rows) {
        REQUIRE(row.size() == 4);
        by_id.emplace(row[0], row);
    }
    for (std::size_t i = 0; i < failure_kind_count; ++i) {
        const FailureKindInfo& info = failure_info(static_cast<FailureKind>(i));
        INFO(info.id);
        const auto found = by_id.find(std::string(info.id));
        REQUIRE(found != by_id.end());
        CHECK(found->second[1] == stage_name(info.stage));
        CHECK_FALSE(found->second[2].empty());
        CHECK(found->second[3] == info.next_step);
        CHECK((i < rows.size() && rows[i][0] == info.id));
    }
    CHECK(rows.size() == failure_kind_count);
}
