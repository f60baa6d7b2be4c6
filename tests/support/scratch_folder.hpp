#pragma once

#include <string>

namespace gpumuster::test {

// A new empty folder, removed with all that is in it at the end.
class ScratchFolder {
public:
    ScratchFolder();
    ~ScratchFolder();
    ScratchFolder(const ScratchFolder&) = delete;
    ScratchFolder& operator=(const ScratchFolder&) = delete;

    const std::string& path() const { return path_; }
    std::string file(const std::string& name) const { return path_ + "/" + name; }

    // Both return the file's full path. A program may be executed by its owner.
    std::string write(const std::string& name, const std::string& text) const;
    std::string write_program(const std::string& name, const std::string& text) const;

private:
    std::string path_;
};

// Everything in a file; empty when there is none.
std::string read_file(const std::string& path);

}  // namespace gpumuster::test
