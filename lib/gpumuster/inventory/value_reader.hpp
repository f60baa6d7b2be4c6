#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gpumuster/inventory/problems.hpp"
#include "gpumuster/inventory/yaml_document.hpp"

namespace gpumuster {

// Reads the values of one map of settings. What cannot be taken is added to the problems, worded
// as `owner: key "value" …`, and comes back empty.
class ValueReader {
public:
    // `owner` is what the settings are written for: `host "node07"`.
    ValueReader(std::string owner, Problems& problems);

    // The key whose value is read next, as messages call it.
    void begin(std::string key) { key_ = std::move(key); }

    // A value that the caller holds against a syntax of its own.
    std::optional<std::string> single(const YamlNode& node);
    // Printable, not empty, and not one of the words that YAML takes for something else.
    std::optional<std::string> text(const YamlNode& node);
    std::optional<int> number(const YamlNode& node, int low, int high);
    std::optional<std::chrono::milliseconds> duration(const YamlNode& node);
    std::optional<std::int64_t> memory_mib(const YamlNode& node);
    std::optional<std::string> user(const YamlNode& node);
    // The position of the word that the value is.
    std::optional<std::size_t> choice(const YamlNode& node, std::span<const std::string> words);
    // One file or a list of files.
    std::vector<std::string> files(const YamlNode& node);
    bool is_map(const YamlNode& node);

    // A key that is none of `names`.
    void refuse_key(const YamlEntry& entry, std::span<const std::string> names);
    void refuse_value(const YamlNode& node, std::string_view fault);
    void problem(Place place, std::string_view what);

private:
    void add_file(const YamlNode& node, std::vector<std::string>& paths);

    std::string owner_;
    std::string key_;
    Problems& problems_;
};

}  // namespace gpumuster
