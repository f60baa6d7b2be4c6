#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace gpumuster {

// Padded base64 of at most 1 MiB; empty when the text is none.
std::optional<std::string> decode_base64(std::string_view text);

// The same back, of at most 1 MiB.
std::string encode_base64(std::string_view bytes);

}  // namespace gpumuster
