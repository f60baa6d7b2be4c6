#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gpumuster/inventory/problems.hpp"

namespace gpumuster {

// The lines of a YAML text, for what the YAML library does not see or does not tell.
class YamlSource {
public:
    // `text` must outlive the source.
    explicit YamlSource(std::string_view text);

    // Adds a problem for each line with bytes that are not UTF-8, with control characters or with
    // characters that change the order of text. True when there is none.
    bool is_text(Problems& problems) const;

    // Whether the quoted text that begins at `place`, perhaps behind an anchor or a tag, is closed
    // in the same line.
    bool closes_quote(Place place) const;

    // From `place` to the end of its line; empty outside of the text.
    std::string_view from(Place place) const;

    // Whether a tab stands among the blanks that indent a line.
    bool is_indented_by_tab(int line) const;

private:
    std::vector<std::string_view> lines_;
};

}  // namespace gpumuster
