#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gpumuster {

// Suggestions for mistyped words out of the many names of an inventory. Each costs a pass over all
// of them, so only the first words get one.
class NameHints {
public:
    explicit NameHints(std::vector<std::string> names);

    // `; did you mean "X"?` or nothing.
    std::string for_word(std::string_view word);

private:
    std::vector<std::string> names_;
    int words_left_ = 16;
};

}  // namespace gpumuster
