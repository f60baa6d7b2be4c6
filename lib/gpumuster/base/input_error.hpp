#pragma once

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace gpumuster {

// The user's own mistakes, found before anything was contacted. Caught once, in main, which prints
// each line after the program's name and exits with 3.
class InputError : public std::exception {
public:
    explicit InputError(std::string line) : lines_{std::move(line)} {}
    explicit InputError(std::vector<std::string> lines) : lines_(std::move(lines)) {}

    // At least one; lower case, place, value, what is accepted.
    const std::vector<std::string>& lines() const { return lines_; }
    const char* what() const noexcept override { return lines_.front().c_str(); }

private:
    std::vector<std::string> lines_;
};

}  // namespace gpumuster
