#include "support/temp_dir.hpp"

#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace gpumuster::test {

TempDir::TempDir() {
    std::string pattern = (std::filesystem::temp_directory_path() / "gpumuster-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("mkdtemp: " + pattern);
    path_ = pattern;
}

TempDir::~TempDir() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
}

std::string TempDir::write(const std::string& name, const std::string& text, unsigned mode) const {
    const std::string path = file(name);
    std::ofstream stream(path, std::ios::binary);
    stream << text;
    stream.close();
    if (!stream) throw std::runtime_error("cannot write " + path);
    if (::chmod(path.c_str(), mode) != 0) throw std::runtime_error("cannot chmod " + path);
    return path;
}

}  // namespace gpumuster::test
