#include "support/schema.hpp"

#include "support/components.hpp"
#include "support/program.hpp"
#include "support/temp_dir.hpp"

namespace gpumuster::test {
namespace {

// The interpreter for which Debian's package is installed, whatever else is on PATH.
const std::string python = "/usr/bin/python3";

}  // namespace

bool schema_validator_missing() {
    ProgramOrder question;
    question.argv = {python, "-c", "import jsonschema"};
    if (has_component("python3") && run_program(question).status == 0) return false;
    return component_missing("python3-jsonschema");
}

std::string report_schema_violations(const std::string& document) {
    const std::string source = GPUMUSTER_SOURCE_DIR;
    const TempDir folder;
    ProgramOrder order;
    order.argv = {python,
                  "-W",
                  "ignore",
                  source + "/tests/support/validate_json.py",
                  source + "/docs/report.schema.json",
                  folder.write("report.json", document)};
    const ProgramResult result = run_program(order);
    std::string lines = result.out + result.err;
    if (result.status != 0 && lines.empty()) lines = "the validator ended without a word";
    return lines;
}

}  // namespace gpumuster::test
