#include "prompt.hpp"

#include <algorithm>
#include <cctype>
#include <chrono>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "gpumuster/base/safe_text.hpp"
#include "gpumuster/transport/ssh/password_program.hpp"
#include "terminal_prompt.hpp"

namespace gpumuster {
namespace {

constexpr std::chrono::minutes program_patience{5};

std::string lower_case(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
}

// The full path of a program that may be named without one, as execlp finds it.
std::string path_of(const std::string& program, const Environment& environment) {
    if (program.find('/') != std::string::npos) return program;
    const std::string folders = environment.variable("PATH").value_or("/usr/bin:/bin");
    std::string_view rest = folders;
    while (!rest.empty()) {
        const std::string_view folder = rest.substr(0, rest.find(':'));
        const std::string path = fmt::format("{}/{}", folder, program);
        if (!folder.empty() && environment.file_exists(path)) return path;
        rest.remove_prefix(std::min(rest.size(), folder.size() + 1));
    }
    return program;
}

}  // namespace

PromptWay prompt_way(const Environment& environment, bool has_terminal) {
    const std::string require =
        lower_case(environment.variable("SSH_ASKPASS_REQUIRE").value_or(std::string{}));
    const bool has_display =
        environment.variable("DISPLAY") || environment.variable("WAYLAND_DISPLAY");
    const bool has_program = environment.variable("SSH_ASKPASS").has_value();
    if (require == "force") return has_program ? PromptWay::program : PromptWay::nobody;
    const bool may_use_program = has_program && has_display && require != "never";
    if (may_use_program && require == "prefer") return PromptWay::program;
    if (has_terminal) return PromptWay::terminal;
    return may_use_program ? PromptWay::program : PromptWay::nobody;
}

std::optional<Secret> ask_secret(const std::string& prompt, const PromptPlace& place) {
    if (place.stop.stop_requested()) return {};
    const std::string safe = make_safe(prompt);
    TerminalPrompt terminal(place.terminal);
    switch (prompt_way(place.environment, terminal.is_there())) {
        case PromptWay::terminal:
            return terminal.ask(safe, place.stop);
        case PromptWay::program: {
            const auto named = place.environment.variable("SSH_ASKPASS").value_or(std::string{});
            return ask_by_program(path_of(named, place.environment), safe, program_patience,
                                  place.stop);
        }
        case PromptWay::nobody:
            break;
    }
    return {};
}

std::optional<Secret> ask_password(const std::string& what, const PromptPlace& place) {
    return ask_secret(fmt::format("Password for {}: ", what), place);
}

std::function<std::optional<Secret>(const std::string& key_path, int attempt)> passphrase_prompt(
    PromptPlace place) {
    return [place = std::move(place)](const std::string& key_path, int attempt) {
        const char* again = attempt > 1 ? "Wrong passphrase. " : "";
        return ask_secret(fmt::format("{}Passphrase for {}: ", again, key_path), place);
    };
}

}  // namespace gpumuster
