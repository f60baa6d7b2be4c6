#pragma once

#include <string>

namespace gpumuster::test {

// A folder of its own for one test, removed with everything in it.
class TempDir {
public:
    TempDir();
    ~TempDir();
    TempDir(const TempDir&) = delete;
    TempDir& operator=(const TempDir&) = delete;

    const std::string& path() const { return path_; }
    std::string file(const std::string& name) const { return path_ + "/" + name; }

    // Writes a file into it and returns its path; mode as of chmod.
    std::string write(const std::string& name, const std::string& text, unsigned mode = 0600) const;

private:
    std::string path_;
};

}  // namespace gpumuster::test
