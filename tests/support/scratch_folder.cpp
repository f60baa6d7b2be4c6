#include "support/scratch_folder.hpp"

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "support/catch.hpp"

namespace gpumuster::test {
namespace fs = std::filesystem;

ScratchFolder::ScratchFolder() {
    path_ = (fs::temp_directory_path() / "gpumuster-test-XXXXXX").string();
    REQUIRE(::mkdtemp(path_.data()) != nullptr);
}

ScratchFolder::~ScratchFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
}

std::string ScratchFolder::write(const std::string& name, const std::string& text) const {
    std::ofstream stream(file(name), std::ios::binary);
    stream << text;
    REQUIRE(stream.flush());
    return file(name);
}

std::string ScratchFolder::write_program(const std::string& name, const std::string& text) const {
    write(name, text);
    fs::permissions(file(name), fs::perms::owner_all);
    return file(name);
}

std::string read_file(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
}

}  // namespace gpumuster::test
