#pragma once

#include <string>
#include <string_view>

namespace gpumuster {

// For --help: tasks with an example each, then every option.
std::string_view help_text();

// For gpumuster alone, with nothing configured: five lines of what to type next.
std::string_view first_steps_text();

// For --version: gpumuster and each library, one a line.
std::string version_text();

}  // namespace gpumuster
