#pragma once

#include <string>

namespace gpumuster::test {

// Like component_missing, for the Python package that validates JSON: Debian's python3-jsonschema.
bool schema_validator_missing();

// What in `document` is against the published schema of the report, one line each; empty when
// nothing is.
std::string report_schema_violations(const std::string& document);

}  // namespace gpumuster::test
