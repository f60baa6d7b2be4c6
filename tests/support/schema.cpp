#include "support/schema.hpp"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "support/catch.hpp"
#include "support/components.hpp"

namespace gpumuster::test {
namespace {

// The interpreter for which Debian's package is installed, whatever else is on PATH.
const std::string python = "/usr/bin/python3";

class TemporaryFile {
public:
    explicit TemporaryFile(const std::string& content)
        : path_((std::filesystem::temp_directory_path() / "gpumuster-XXXXXX").string()) {
        const int descriptor = mkstemp(path_.data());
        REQUIRE(descriptor >= 0);
        close(descriptor);
        std::ofstream(path_, std::ios::binary) << content;
    }
    ~TemporaryFile() { std::filesystem::remove(path_); }
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;

    const std::string& path() const { return path_; }

private:
    std::string path_;
};

}  // namespace

bool schema_validator_missing() {
    const std::string question = python + " -c 'import jsonschema' 2>/dev/null";
    if (std::system(question.c_str()) == 0) return false;
    return component_missing("python3-jsonschema");
}

std::string report_schema_violations(const std::string& document) {
    const std::string source = GPUMUSTER_SOURCE_DIR;
    const TemporaryFile file(document);
    const std::string command = python + " -W ignore '" + source +
                                "/tests/support/validate_json.py' '" + source +
                                "/docs/report.schema.json' '" + file.path() + "' 2>&1";
    std::FILE* pipe = popen(command.c_str(), "r");
    REQUIRE(pipe != nullptr);
    std::string lines;
    for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) lines += static_cast<char>(c);
    const int status = pclose(pipe);
    if (status != 0 && lines.empty()) lines = "the validator ended without a word";
    return lines;
}

}  // namespace gpumuster::test
