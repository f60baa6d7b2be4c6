#include <unistd.h>

#include <cstdio>
#include <exception>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "check.hpp"
#include "command_line.hpp"
#include "environment.hpp"
#include "gpumuster/base/input_error.hpp"
#include "help.hpp"
#include "hosts.hpp"
#include "output.hpp"
#include "process_setup.hpp"

namespace gpumuster {
namespace {

// docs/exit-status.md tells them all.
constexpr int not_known_status = 2;
constexpr int wrong_use_status = 3;

int print(std::string_view text, int status) {
    Output output(STDOUT_FILENO);
    output.write(text);
    return output.finish(status);
}

int run(std::span<const std::string> arguments) {
    const Environment environment = process_environment();
    const CommandLine line = parse_command_line(arguments, environment);
    switch (line.action) {
        case CommandLine::Action::help:
            return print(help_text(), 0);
        case CommandLine::Action::version:
            return print(version_text(), 0);
        case CommandLine::Action::first_steps:
            return print(first_steps_text(), wrong_use_status);
        case CommandLine::Action::inspect:
            break;
    }
    return line.subcommand == Subcommand::hosts ? run_hosts(line, environment)
                                                : run_check(line, environment);
}

void print_error(std::string_view line) {
    fmt::print(stderr, "gpumuster: {}\n", line);
}

}  // namespace
}  // namespace gpumuster

int main(int argc, char** argv) {
    using namespace gpumuster;
    open_standard_descriptors();
    ignore_broken_pipes();
    try {
        const std::vector<std::string> arguments(argv + (argc > 0 ? 1 : 0), argv + argc);
        return run(arguments);
    } catch (const InputError& error) {
        for (const std::string& line : error.lines()) print_error(line);
        return wrong_use_status;
    } catch (const std::exception& error) {
        print_error(fmt::format("internal error: {}", error.what()));
        return not_known_status;
    }
}
