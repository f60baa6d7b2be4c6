#include "gpumuster/transport/settings/config_question.hpp"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "gpumuster/transport/settings/jump_list.hpp"

namespace gpumuster {
namespace {

using Words = std::vector<std::string>;

Words file_arguments(const ConfigSource& source) {
    if (!source.is_read) return {"-F", "none"};
    if (source.file) return {"-F", *source.file};
    return {};
}

Words way_arguments(const std::string& jump) {
    if (jump.empty()) return {};
    // ProxyJump=none leaves a ProxyCommand of ssh_config alone.
    if (jump == straight) return {"-o", "ProxyJump=none", "-o", "ProxyCommand=none"};
    return {"-J", jump};
}

void append(Words& words, const Words& more) {
    words.insert(words.end(), more.begin(), more.end());
}

bool is_plain(char c) {
    constexpr std::string_view others = "-_./:@%+,=[]";
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           others.find(c) != std::string_view::npos;
}

std::string for_shell(const std::string& word) {
    if (!word.empty() && std::all_of(word.begin(), word.end(), is_plain)) return word;
    std::string quoted = "'";
    for (const char c : word) {
        if (c == '\'') {
            quoted += "'\\''";
        } else {
            quoted += c;
        }
    }
    return quoted + "'";
}

}  // namespace

ConfigQuestion question_for(const Host& host) {
    ConfigQuestion question{address_of(host), host.settings.user, host.settings.port, {}};
    if (host.settings.jump) {
        const std::string words = jump_text(jump_words(*host.settings.jump));
        question.jump = words.empty() ? straight : words;
    }
    return question;
}

Words config_arguments(const ConfigSource& source, const ConfigQuestion& question) {
    Words words = file_arguments(source);
    append(words, way_arguments(question.jump));
    if (question.port) append(words, {"-p", std::to_string(*question.port)});
    if (question.user) append(words, {"-l", *question.user});
    return words;
}

std::string typed_arguments(const ConfigSource& source, const ConfigQuestion& question) {
    Words words = file_arguments(source);
    append(words, way_arguments(question.jump));
    if (question.port) append(words, {"-p", std::to_string(*question.port)});
    words.push_back(question.user ? *question.user + "@" + question.name : question.name);
    for (std::string& word : words) word = for_shell(word);
    return fmt::format("{}", fmt::join(words, " "));
}

}  // namespace gpumuster
