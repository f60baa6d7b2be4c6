#pragma once

#include <optional>
#include <vector>

#include "gpumuster/inventory/host.hpp"
#include "gpumuster/inventory/value_reader.hpp"
#include "gpumuster/inventory/yaml_document.hpp"

namespace gpumuster {

// The value of `jump`: a list of hops as text, a map of one hop, or a list of either; `none` and an
// empty list are no hops. What cannot be taken is told to `values`, and comes back empty.
std::optional<std::vector<Hop>> read_jump(const YamlNode& node, ValueReader& values);

// The value of `container`: a map with one of pct, docker and exec. `{name}` is left as it is.
std::optional<ContainerEntry> read_container(const YamlNode& node, ValueReader& values);

}  // namespace gpumuster
