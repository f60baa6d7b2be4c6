#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

namespace gpumuster {

// What stands for ~, ${NAME} and the %-tokens of a file name in ssh_config.
struct PathTokens {
    std::string home;             // ~ and %d
    std::string local_user;       // %u
    std::string machine_name;     // %l, and %L up to its first dot
    std::string name;             // %n, as given to ssh
    std::string address;          // %h
    std::uint16_t port = 22;      // %p
    std::string user;             // %r
    std::string key_alias;        // %k; empty: the name
    std::string jump_host;        // %j, the last one
    std::string connection_hash;  // %C; empty: not known
    std::function<std::optional<std::string>(const std::string&)> variable;
};

// The file that ssh means, as an absolute path. The error is a phrase: `unknown token %Z in
// "~/%Z"`. May look up another user's home (~user).
tl::expected<std::string, std::string> expand_path(const std::string& text,
                                                   const PathTokens& tokens);

// A leading ~ or ~user only.
tl::expected<std::string, std::string> expand_tilde(const std::string& text,
                                                    const std::string& home);

// The files of one line of `ssh -G`, which puts blanks between them and no quotes around names
// that have blanks themselves. A new file begins with / or ~; where one of the readings exists and
// others do not, that one is taken.
std::vector<std::string> split_file_list(std::string_view line,
                                         const std::function<bool(const std::string&)>& exists);

}  // namespace gpumuster
