#include "gpumuster/inventory/host_name.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>

#include <fmt/format.h>

#include "gpumuster/base/safe_text.hpp"

namespace gpumuster {
namespace {

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

bool is_name_character(char c) {
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' ||
           c == '-' || c == '_';
}

bool is_address_of(int family, std::string_view text) {
    const bool ends_early = text.find('\0') != std::string_view::npos;  // for inet_pton
    if (ends_early) return false;
    unsigned char address[sizeof(in6_addr)];
    return inet_pton(family, std::string{text}.c_str(), address) == 1;
}

// "10.1", "10.0.0.300" and "010.0.0.1": the resolver would read some of them in ways that nobody
// means (10.0.0.1 and 8.0.0.1).
bool is_spoilt_ipv4(std::string_view text) {
    const bool only_digits_and_dots =
        std::all_of(text.begin(), text.end(), [](char c) { return is_digit(c) || c == '.'; });
    const bool has_dot = text.find('.') != std::string_view::npos;
    return only_digits_and_dots && has_dot && !is_address_of(AF_INET, text);
}

std::string describe(std::string_view text, std::size_t position) {
    const char c = text[position];
    if (c == ' ' || c == '\t') return "has a blank";
    const bool is_printable = c > 0x20 && c < 0x7f;
    if (is_printable) return fmt::format("has a '{}'", c);
    return "has a character that is not printable ASCII";
}

std::optional<std::string> length_fault(std::string_view text) {
    if (text.empty()) return "is empty";
    if (text.size() > max_host_name_length) {
        return fmt::format("is longer than {} characters", max_host_name_length);
    }
    // It would be taken for an option by the programs it is handed to.
    if (text.front() == '-') return "begins with '-'";
    return {};
}

}  // namespace

std::optional<std::string> host_name_fault(std::string_view text) {
    if (auto fault = length_fault(text)) return fault;
    if (is_ipv6_address(text)) return {};
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (!is_name_character(text[i])) {
            return describe(text, i) + ", which no host name or address has";
        }
    }
    if (is_spoilt_ipv4(text)) return "is not an IPv4 address such as 10.0.0.7";
    return {};
}

std::optional<std::string> address_fault(std::string_view text) {
    auto fault = host_name_fault(text);
    if (!fault) return {};
    if (is_name_with_number(text)) return *fault + "; the port has a key of its own: port";
    if (text.find('@') != std::string_view::npos) {
        return *fault + "; the user has a key of its own: user";
    }
    return fault;
}

std::optional<std::string> user_fault(std::string_view text) {
    if (auto fault = length_fault(text)) return fault;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] <= 0x20 || text[i] >= 0x7f) return describe(text, i);
    }
    return {};
}

bool is_ipv6_address(std::string_view text) {
    const std::size_t percent = text.find('%');
    const bool has_scope = percent != std::string_view::npos;
    if (has_scope) {
        const std::string_view scope = text.substr(percent + 1);
        const bool is_scope =
            !scope.empty() && std::all_of(scope.begin(), scope.end(), is_name_character);
        if (!is_scope) return false;
    }
    return is_address_of(AF_INET6, text.substr(0, percent));
}

bool is_name_with_number(std::string_view text) {
    const std::size_t colon = text.find(':');
    if (colon == std::string_view::npos || colon == 0 || colon + 1 == text.size()) return false;
    const std::string_view number = text.substr(colon + 1);
    return std::all_of(number.begin(), number.end(), is_digit);
}

}  // namespace gpumuster
