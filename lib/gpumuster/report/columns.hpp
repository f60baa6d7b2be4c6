#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "gpumuster/report/render.hpp"
#include "gpumuster/verdict/verdict.hpp"

namespace gpumuster {

enum class Align { left, right };

// Safe text in a table. `span` columns are taken by it; `verdict` gives it a colour.
struct Cell {
    std::string text;
    std::optional<Verdict> verdict;
    std::size_t span = 1;
};
using TableRow = std::vector<Cell>;

// Aligns rows by display width. Every row is measured first and then written, so that no table
// needs to be held as a whole. A row may end early; a line never ends in blanks.
class Columns {
public:
    explicit Columns(std::vector<Align> alignment);

    void measure(const TableRow& row);
    void write(const TableRow& row, Colour colour, Sink& sink) const;

private:
    struct SpanWidth {
        std::size_t first, count, width;
    };

    std::size_t width_of(std::size_t first, std::size_t count) const;
    std::size_t width_with_gaps(std::size_t first, std::size_t count) const;
    void measure_span(const SpanWidth& span);

    std::vector<Align> alignment_;
    std::vector<std::size_t> widths_;
    std::vector<SpanWidth> spans_;  // the widest of each place
};

}  // namespace gpumuster
