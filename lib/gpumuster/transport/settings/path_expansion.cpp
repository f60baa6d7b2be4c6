#include "gpumuster/transport/settings/path_expansion.hpp"

#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "gpumuster/base/safe_text.hpp"

namespace gpumuster {
namespace {

using Text = tl::expected<std::string, std::string>;

tl::unexpected<std::string> trouble(std::string phrase) {
    return tl::unexpected<std::string>(std::move(phrase));
}

std::string in_quotes(std::string_view text) {
    return '"' + quote_line(text, 120) + '"';
}

std::optional<std::string> home_of(const std::string& user) {
    passwd entry{};
    passwd* found = nullptr;
    std::array<char, 16384> buffer;
    if (::getpwnam_r(user.c_str(), &entry, buffer.data(), buffer.size(), &found) != 0) return {};
    if (found == nullptr) return {};
    return found->pw_dir;
}

std::optional<std::string> token_value(char token, const PathTokens& tokens) {
    switch (token) {
        case '%':
            return "%";
        case 'd':
            return tokens.home;
        case 'h':
            return tokens.address;
        case 'i':
            return std::to_string(::getuid());
        case 'j':
            return tokens.jump_host;
        case 'k':
            return tokens.key_alias.empty() ? tokens.name : tokens.key_alias;
        case 'L':
            return tokens.machine_name.substr(0, tokens.machine_name.find('.'));
        case 'l':
            return tokens.machine_name;
        case 'n':
            return tokens.name;
        case 'p':
            return std::to_string(tokens.port);
        case 'r':
            return tokens.user;
        case 'u':
            return tokens.local_user;
        case 'C':
            if (!tokens.connection_hash.empty()) return tokens.connection_hash;
            return {};
        default:
            return {};
    }
}

Text expand_tokens(const std::string& text, const PathTokens& tokens) {
    std::string expanded;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text.compare(i, 2, "${") == 0) {
            const std::size_t close = text.find('}', i);
            if (close == std::string::npos) return trouble("no } in " + in_quotes(text));
            const std::string name = text.substr(i + 2, close - i - 2);
            const auto value = tokens.variable ? tokens.variable(name) : std::nullopt;
            if (!value) {
                return trouble(fmt::format("the variable {} in {} is not set", in_quotes(name),
                                           in_quotes(text)));
            }
            expanded += *value;
            i = close;
        } else if (text[i] == '%') {
            if (++i == text.size()) return trouble("a lone % ends " + in_quotes(text));
            const auto value = token_value(text[i], tokens);
            if (!value) {
                return trouble(fmt::format("unknown token {} in {}",
                                           quote_line(text.substr(i - 1, 2)), in_quotes(text)));
            }
            expanded += *value;
        } else {
            expanded += text[i];
        }
    }
    return expanded;
}

bool begins_a_file(std::string_view word) {
    return word.starts_with('/') || word.starts_with('~');
}

// Whether `more`, which begins with blanks, is a part of the name and not the next one.
bool continues(const std::string& name, const std::string& more,
               const std::function<bool(const std::string&)>& exists) {
    if (!begins_a_file(name)) return false;
    if (exists(name + more)) return true;
    const std::size_t word = more.find_first_not_of(' ');
    return !begins_a_file(std::string_view(more).substr(word)) && !exists(name);
}

}  // namespace

Text expand_tilde(const std::string& text, const std::string& home) {
    if (!text.starts_with('~')) return text;
    const std::size_t slash = std::min(text.find('/'), text.size());
    const std::string user = text.substr(1, slash - 1);
    const std::optional<std::string> folder = user.empty() ? home : home_of(user);
    if (!folder) {
        return trouble(fmt::format("no user {} for {}", in_quotes(user), in_quotes(text)));
    }
    return *folder + text.substr(slash);
}

Text expand_path(const std::string& text, const PathTokens& tokens) {
    const Text in_home = expand_tilde(text, tokens.home);
    if (!in_home) return in_home;
    const Text path = expand_tokens(*in_home, tokens);
    if (!path || path->starts_with('/')) return path;
    std::error_code error;
    const std::filesystem::path absolute = std::filesystem::absolute(*path, error);
    return error ? *path : absolute.string();
}

std::vector<std::string> split_file_list(std::string_view line,
                                         const std::function<bool(const std::string&)>& exists) {
    std::vector<std::string> files;
    while (!line.empty()) {
        const std::size_t start = line.find_first_not_of(' ');
        if (start == std::string_view::npos) break;
        const std::string blanks(line.substr(0, start));
        line.remove_prefix(start);
        const std::string word(line.substr(0, line.find(' ')));
        line.remove_prefix(word.size());
        if (!files.empty() && continues(files.back(), blanks + word, exists)) {
            files.back() += blanks + word;
        } else {
            files.push_back(word);
        }
    }
    return files;
}

}  // namespace gpumuster
