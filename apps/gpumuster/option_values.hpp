#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "gpumuster/inventory/host.hpp"

namespace gpumuster {

// The value of one option, from text. Each throws InputError with the option, the value, what is
// accepted and the nearest accepted value: `--port "0": accepted is a number from 1 to 65535`.

std::int64_t number_value(const std::string& option, const std::string& text, std::int64_t lowest,
                          std::int64_t highest);
std::chrono::milliseconds duration_value(const std::string& option, const std::string& text);
std::int64_t memory_mib_value(const std::string& option, const std::string& text);

// The position of the word that the text is.
std::size_t choice_value(const std::string& option, const std::string& text,
                         std::span<const std::string> words);

// A login name; the message says what is wrong with it instead of what is accepted.
std::string user_value(const std::string& option, const std::string& text);

// Hops as in -J; none of them for `none`.
std::vector<Hop> jump_value(const std::string& option, const std::string& text);
ContainerEntry pct_value(const std::string& option, const std::string& text);
ContainerEntry docker_value(const std::string& option, const std::string& text);

std::string file_value(const std::string& option, const std::string& text);

}  // namespace gpumuster
