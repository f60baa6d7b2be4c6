#pragma once

#include <optional>
#include <string>

#include "gpumuster/inventory/yaml_document.hpp"

namespace gpumuster {

// Why a scalar cannot be taken as a text, to stand after its quoted value; empty when it can. A
// text is not empty, is printable, and is not one of the plain words that YAML takes for a boolean,
// an infinity or NaN.
std::optional<std::string> yaml_text_fault(const YamlNode& scalar);

}  // namespace gpumuster
