#include "gpumuster/inventory/problems.hpp"

#include <vector>

#include <fmt/format.h>

#include "gpumuster/base/input_error.hpp"
#include "gpumuster/base/safe_text.hpp"

namespace gpumuster {

Problems::Problems(const std::string& file_name) : file_name_(make_safe(file_name)) {}

void Problems::add(Place place, std::string message) {
    messages_.try_emplace({place.line, place.column}, std::move(message));
}

void Problems::throw_if_any() const {
    if (messages_.empty()) return;
    std::vector<std::string> lines;
    for (const auto& [place, message] : messages_) {
        lines.push_back(
            fmt::format("{}:{}:{}: {}", file_name_, place.first, place.second, message));
    }
    throw InputError(std::move(lines));
}

}  // namespace gpumuster
