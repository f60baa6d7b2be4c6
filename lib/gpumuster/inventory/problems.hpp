#pragma once

#include <map>
#include <string>
#include <utility>

namespace gpumuster {

// A position in a text, counted from 1 as editors do; columns are bytes.
struct Place {
    int line = 1;
    int column = 1;
};

// Everything that is wrong with one file, gathered so that the user sees it all at once.
class Problems {
public:
    explicit Problems(const std::string& file_name);

    // One problem per place is enough: a value that many hosts share by an alias is reported once.
    void add(Place place, std::string message);

    // Throws an InputError with a line `file:line:column: message` each, in the order of the file.
    void throw_if_any() const;

private:
    std::string file_name_;
    std::map<std::pair<int, int>, std::string> messages_;
};

}  // namespace gpumuster
