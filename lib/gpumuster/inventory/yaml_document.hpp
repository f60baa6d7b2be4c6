#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "gpumuster/inventory/problems.hpp"

namespace gpumuster {

struct YamlEntry;

// One value of a YAML text. Aliases are resolved: the same node may stand in several places, and
// through an alias a node may even contain itself, so a reader walks to a fixed depth.
struct YamlNode {
    enum class Kind {
        null,
        scalar,
        sequence,
        map,
        refused,  // already reported: readers pass over it in silence
    };
    enum class Style { plain, quoted };  // a plain `yes` or `.nan` is no text in YAML

    Kind kind = Kind::null;
    Style style = Style::plain;
    Place place;
    std::string text;                    // scalar
    std::vector<const YamlNode*> items;  // sequence
    std::vector<YamlEntry> entries;      // map, in the order of the text; no key twice
};

struct YamlEntry {
    const YamlNode* key = nullptr;  // always a scalar
    const YamlNode* value = nullptr;
};

// The tree of one text, and the owner of its nodes.
struct YamlDocument {
    std::deque<YamlNode> nodes;
    const YamlNode* root = nullptr;  // null: the text is empty
    bool is_whole = false;           // false: reading ended at an error of syntax
};

inline constexpr std::size_t max_yaml_nodes = 4'000'000;

// Reads YAML, and JSON with it. What would be read otherwise than it looks is added to `problems`:
// syntax errors, keys that stand twice, merge keys (<<), numbers with a leading zero, tags, quotes
// that do not end in their line, a second document, bytes that are no text. Where is_whole is false
// the tree may end in the middle of a map, and what it says would mislead.
YamlDocument parse_yaml(std::string_view text, Problems& problems);

// "a list", "a map", "nothing", "a single value": for messages.
std::string_view kind_name(const YamlNode& node);

}  // namespace gpumuster
