#include "gpumuster-sim/command_line.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>

#include "gpumuster-sim/sockets.hpp"
#include "gpumuster/base/input_error.hpp"
#include "gpumuster/base/nearest.hpp"
#include "gpumuster/base/units.hpp"

namespace gpumuster::sim {
namespace {

// Each host has a port of its own, and the kernel hands out 28,232 on Linux.
constexpr int most_hosts = 28'000;

std::chrono::milliseconds latency_of(const std::string& text) {
    if (const auto latency = parse_latency(text)) return *latency;
    throw InputError(fmt::format("--latency: \"{}\" is not {}, or 0ms", text, duration_syntax));
}

void refuse_unknown(const CLI::App& app) {
    const std::vector<std::string> known{"--hosts",     "--scenario", "--latency", "--listen",
                                         "--state-dir", "--help",     "--version"};
    const std::vector<std::string> unknown = app.remaining();
    if (unknown.empty()) return;
    const std::string& word = unknown.front();
    throw InputError(fmt::format("unknown argument \"{}\"{}", word, did_you_mean(word, known)));
}

void check(const CommandLine& given) {
    if (given.hosts == 0 && given.scenario.empty()) {
        throw InputError("which hosts? give --hosts N or --scenario FILE");
    }
    if (given.state_folder.empty()) {
        throw InputError("where to? give --state-dir DIR for inventory, key and known hosts");
    }
    if (!is_loopback_address(given.listen)) {
        throw InputError(
            fmt::format("--listen: \"{}\" is not an address of 127.0.0.0/8", given.listen));
    }
}

// CLI11 ends its messages as sentences; ours are phrases of one line.
std::string phrase(std::string message) {
    std::replace(message.begin(), message.end(), '\n', ' ');
    return message;
}

}  // namespace

std::optional<CommandLine> parse_command_line(int argc, char** argv) {
    CommandLine given;
    std::string latency = "0ms";
    CLI::App app{"plays a fleet of GPU hosts as SSH servers on loopback", "gpumuster-sim"};
    auto* hosts = app.add_option("--hosts", given.hosts, "play N clean hosts")
                      ->type_name("N")
                      ->check(CLI::Range(1, most_hosts));
    auto* scenario = app.add_option("--scenario", given.scenario, "play the hosts of a YAML file")
                         ->type_name("FILE");
    hosts->excludes(scenario);
    app.add_option("--latency", latency, "of a round trip, where the file gives none: 50ms")
        ->type_name("DURATION");
    app.add_option("--listen", given.listen, "an address of 127.0.0.0/8")
        ->type_name("ADDRESS")
        ->capture_default_str();
    app.add_option("--state-dir", given.state_folder,
                   "where inventory.yaml, key and known_hosts are written")
        ->type_name("DIR");
    app.set_version_flag("--version", "gpumuster-sim " GPUMUSTER_VERSION);
    app.allow_extras();
    try {
        app.parse(argc, argv);
    } catch (const CLI::Success& said) {
        app.exit(said);
        return {};
    } catch (const CLI::ParseError& error) {
        throw InputError(phrase(error.what()));
    }
    refuse_unknown(app);
    check(given);
    given.latency = latency_of(latency);
    return given;
}

}  // namespace gpumuster::sim
