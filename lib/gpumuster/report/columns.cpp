#include "gpumuster/report/columns.hpp"

#include <algorithm>
#include <utility>

#include "gpumuster/report/display_width.hpp"
#include "gpumuster/report/paint.hpp"

namespace gpumuster {
namespace {

constexpr std::size_t gap = 2;

void end_line(std::string& line) {
    line.erase(line.find_last_not_of(' ') + 1);
    line += '\n';
}

}  // namespace

Columns::Columns(std::vector<Align> alignment)
    : alignment_(std::move(alignment)), widths_(alignment_.size(), 0) {}

void Columns::measure(const TableRow& row) {
    std::size_t column = 0;
    for (const Cell& cell : row) {
        const std::size_t width = display_width(cell.text);
        if (cell.span == 1) {
            widths_.at(column) = std::max(widths_.at(column), width);
        } else {
            measure_span({column, cell.span, width});
        }
        column += cell.span;
    }
}

void Columns::measure_span(const SpanWidth& span) {
    const auto same_place = std::ranges::find_if(spans_, [&](const SpanWidth& known) {
        return known.first == span.first && known.count == span.count;
    });
    if (same_place == spans_.end()) {
        spans_.push_back(span);
    } else {
        same_place->width = std::max(same_place->width, span.width);
    }
}

std::size_t Columns::width_with_gaps(std::size_t first, std::size_t count) const {
    std::size_t width = gap * (count - 1);
    for (std::size_t i = first; i < first + count; ++i) width += widths_.at(i);
    return width;
}

// A cell that spans more than its columns hold widens the last of them.
std::size_t Columns::width_of(std::size_t first, std::size_t count) const {
    const std::size_t end = first + count;
    std::size_t width = width_with_gaps(first, count);
    for (const SpanWidth& span : spans_) {
        const bool widens = span.first + span.count == end;
        if (!widens) continue;
        const std::size_t own = width_with_gaps(span.first, span.count);
        if (span.width > own) width += span.width - own;
    }
    return width;
}

void Columns::write(const TableRow& row, Colour colour, Sink& sink) const {
    std::string line;
    std::size_t column = 0;
    for (const Cell& cell : row) {
        if (column > 0) line.append(gap, ' ');
        const std::size_t width = width_of(column, cell.span);
        const std::size_t blanks = width - std::min(width, display_width(cell.text));
        const bool is_right = alignment_.at(column) == Align::right && cell.span == 1;
        if (is_right) line.append(blanks, ' ');
        line += cell.verdict ? painted(cell.text, *cell.verdict, colour) : cell.text;
        if (!is_right) line.append(blanks, ' ');
        column += cell.span;
    }
    end_line(line);
    sink.write(line);
}

}  // namespace gpumuster
