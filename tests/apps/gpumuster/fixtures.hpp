#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/ranges.h>

#include "apps/gpumuster/environment.hpp"
#include "gpumuster/base/input_error.hpp"
#include "gpumuster/report/sink.hpp"

namespace gpumuster::test {

// An environment made of literals.
inline Environment environment_of(std::map<std::string, std::string> variables = {},
                                  std::set<std::string> files = {}) {
    Environment environment;
    environment.variable =
        [variables = std::move(variables)](const std::string& name) -> std::optional<std::string> {
        const auto found = variables.find(name);
        if (found == variables.end()) return {};
        return found->second;
    };
    environment.file_exists = [files](const std::string& path) { return files.contains(path); };
    environment.is_program = environment.file_exists;
    environment.reading_fault =
        [files = std::move(files)](const std::string& path) -> std::optional<std::string> {
        if (files.contains(path)) return {};
        return "No such file or directory";
    };
    return environment;
}

// The lines of the InputError that `action` ends with; empty when it ends without one.
template <class Action>
std::string refusal(Action action) {
    try {
        action();
    } catch (const InputError& error) {
        return fmt::format("{}", fmt::join(error.lines(), "\n"));
    }
    return {};
}

class TextSink : public Sink {
public:
    void write(std::string_view bytes) override { text += bytes; }
    std::string text;
};

}  // namespace gpumuster::test
