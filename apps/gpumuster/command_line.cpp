#include "command_line.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "gpumuster/base/input_error.hpp"
#include "gpumuster/base/nearest.hpp"
#include "gpumuster/base/safe_text.hpp"
#include "gpumuster/inventory/route_words.hpp"
#include "option_values.hpp"

namespace gpumuster {
namespace {

using Words = std::vector<std::string>;

constexpr std::array flags{"-h,--help", "--version",  "--local",
                           "--wide",    "--ask-pass", "-v,--verbose"};
constexpr std::array options_with_value{
    "-i,--inventory", "-x,--exclude", "-l,--user",     "-p,--port",         "--identity",
    "--known-hosts",  "-J,--jump",    "--pct",         "--docker",          "--ssh-config",
    "--transport",    "--host-keys",  "--splay",       "--connect-timeout", "--command-timeout",
    "--timeout",      "--parallel",   "--idle-memory", "--expect-gpus",     "--probe",
    "-o,--output",    "--color",
};

// Splits arguments into options with their values and other words; what the values mean is not
// its business.
class Arguments {
public:
    Arguments() : app_("gpumuster") {
        // Extras, not a positional: CLI11 takes "[a,b]" in a positional for a list of its own, and
        // "[2001:db8::1]" is a host.
        app_.allow_extras();
        app_.set_help_flag();
        for (const char* names : flags) app_.add_flag(names);
        for (const char* names : options_with_value) {
            app_.add_option(names)->allow_extra_args(false)->multi_option_policy(
                CLI::MultiOptionPolicy::TakeAll);
        }
    }

    // Throws InputError.
    void parse(std::span<const std::string> arguments) {
        Words reversed(arguments.rbegin(), arguments.rend());
        try {
            app_.parse(reversed);
        } catch (const CLI::ArgumentMismatch&) {
            // An option takes the next argument whatever it is, so only the last can lack a value.
            throw InputError(
                fmt::format("option \"{}\" needs a value", quote_line(arguments.back())));
        } catch (const CLI::ParseError& error) {
            throw InputError(quote_line(error.what()));
        }
        refuse_mistakes();
    }

    bool has(const std::string& option) const { return app_.count(option) > 0; }
    Words all(const std::string& option) const { return app_.get_option(option)->results(); }
    std::string last(const std::string& option) const { return all(option).back(); }
    Words words() const { return app_.remaining(); }

    Words names() const {
        Words names;
        for (const CLI::Option* option : app_.get_options()) {
            for (const auto& name : option->get_snames()) names.push_back("-" + name);
            for (const auto& name : option->get_lnames()) names.push_back("--" + name);
        }
        return names;
    }

private:
    void refuse_mistakes() const {
        for (const std::string& word : words()) {
            if (word.size() > 1 && word.front() == '-') refuse_unknown(word);
        }
        for (const CLI::Option* option : app_.get_options()) {
            for (const std::string& value : option->results()) refuse_value(*option, value);
        }
    }

    [[noreturn]] void refuse_unknown(const std::string& word) const {
        const std::string name = word.substr(0, word.find('='));
        // Every short option is as near to another as all the rest.
        std::string hint = name.size() > 2 ? did_you_mean(name, names()) : std::string{};
        if (hint.empty()) hint = "; see gpumuster --help";
        throw InputError(fmt::format("unknown option \"{}\"{}", quote_line(name), hint));
    }

    void refuse_value(const CLI::Option& option, const std::string& value) const {
        const std::string name = option.get_name();
        const bool is_flag = option.get_items_expected_max() == 0;
        if (is_flag && value != "true") {
            throw InputError(fmt::format("option \"{}\" takes no value", name));
        }
        if (!is_flag && value.size() > 1 && app_.get_option_no_throw(value) != nullptr) {
            throw InputError(
                fmt::format("option \"{}\" needs a value, and \"{}\" is an option", name, value));
        }
    }

    CLI::App app_;
};

// "-port 22" would be read as -p with the value "ort", and "-local" as the user "ocal".
void refuse_single_dash(std::span<const std::string> arguments, const Words& names) {
    for (const std::string& argument : arguments) {
        if (argument.size() < 3 || argument[0] != '-' || argument[1] == '-') continue;
        const std::string name = argument.substr(0, argument.find('='));
        if (std::find(names.begin(), names.end(), "-" + name) == names.end()) continue;
        throw InputError(fmt::format("unknown option \"{0}\"; did you mean \"-{0}\"?", name));
    }
}

template <class T, std::size_t Count>
T one_of(const Arguments& given, const std::string& option, T unsaid,
         const std::array<std::pair<const char*, T>, Count>& table) {
    if (!given.has(option)) return unsaid;
    Words words;
    for (const auto& row : table) words.emplace_back(row.first);
    return table[choice_value(option, given.last(option), words)].second;
}

std::optional<std::chrono::milliseconds> duration_of(const Arguments& given,
                                                     const std::string& option) {
    if (!given.has(option)) return {};
    return duration_value(option, given.last(option));
}

Words files_of(const Arguments& given, const std::string& option) {
    Words files = given.all(option);
    for (const std::string& file : files) file_value(option, file);
    return files;
}

std::optional<ContainerEntry> container_of(const Arguments& given) {
    if (given.has("--pct") && given.has("--docker")) {
        throw InputError("--pct and --docker would be two containers; leave one out");
    }
    if (given.has("--pct")) return pct_value("--pct", given.last("--pct"));
    if (given.has("--docker")) return docker_value("--docker", given.last("--docker"));
    return {};
}

// How a host is logged in to.
HostSettings login_settings(const Arguments& given) {
    HostSettings settings;
    if (given.has("--user")) settings.user = user_value("--user", given.last("--user"));
    if (given.has("--port")) {
        const auto port = number_value("--port", given.last("--port"), 1, 65'535);
        settings.port = static_cast<std::uint16_t>(port);
    }
    settings.identities = files_of(given, "--identity");
    settings.known_hosts = files_of(given, "--known-hosts");
    if (given.has("--jump")) settings.jump = jump_value("--jump", given.last("--jump"));
    settings.container = container_of(given);
    if (given.has("--transport")) {
        settings.transport =
            one_of(given, "--transport", TransportChoice::automatic, transport_words);
    }
    if (given.has("--host-keys")) {
        settings.new_host_keys = one_of(given, "--host-keys", NewHostKeys::refuse, host_keys_words);
    }
    return settings;
}

HostSettings host_settings(const Arguments& given) {
    HostSettings settings = login_settings(given);
    settings.connect_timeout = duration_of(given, "--connect-timeout");
    settings.command_timeout = duration_of(given, "--command-timeout");
    if (given.has("--idle-memory")) {
        settings.idle_memory_mib = memory_mib_value("--idle-memory", given.last("--idle-memory"));
    }
    if (given.has("--expect-gpus")) {
        const auto gpus = number_value("--expect-gpus", given.last("--expect-gpus"), 0, 64);
        settings.expect.gpus = static_cast<int>(gpus);
    }
    return settings;
}

void read_ssh_config(const Arguments& given, CommandLine& line) {
    if (!given.has("--ssh-config")) return;
    const std::string file = file_value("--ssh-config", given.last("--ssh-config"));
    line.reads_ssh_config = file != "none";
    if (line.reads_ssh_config) line.ssh_config = file;
}

void refuse_beside_local(const Arguments& given, const CommandLine& line) {
    if (!line.targets.empty()) {
        throw InputError(fmt::format("--local inspects this machine; leave out \"{}\"",
                                     quote_line(line.targets.front())));
    }
    for (const char* option : {"--inventory", "--exclude", "--user", "--port", "--identity",
                               "--known-hosts", "--jump", "--pct", "--docker", "--ssh-config",
                               "--transport", "--host-keys", "--ask-pass", "--connect-timeout"}) {
        if (!given.has(option)) continue;
        throw InputError(
            fmt::format("--local inspects this machine without ssh; leave out {}", option));
    }
}

// Takes the subcommand off the front of the words.
Subcommand take_subcommand(Words& words) {
    if (words.empty()) return Subcommand::check;
    const bool is_hosts = words.front() == "hosts";
    if (!is_hosts && words.front() != "check") return Subcommand::check;
    words.erase(words.begin());
    return is_hosts ? Subcommand::hosts : Subcommand::check;
}

void read_values(const Arguments& given, CommandLine& line) {
    line.excluded = given.all("--exclude");
    line.inventories = files_of(given, "--inventory");
    if (std::count(line.inventories.begin(), line.inventories.end(), "-") > 1) {
        throw InputError("--inventory \"-\": standard input can be read once only");
    }
    line.flags = host_settings(given);
    read_ssh_config(given, line);
    line.asks_password = given.has("--ask-pass");
    line.splay = duration_of(given, "--splay");
    line.timeout = duration_of(given, "--timeout");
    if (given.has("--parallel")) {
        const auto parallel = number_value("--parallel", given.last("--parallel"), 1, 10'000);
        line.parallel = static_cast<std::size_t>(parallel);
    }
    line.probe =
        one_of<ProbeLevel, 2>(given, "--probe", line.probe,
                              {{{"full", ProbeLevel::full}, {"minimal", ProbeLevel::minimal}}});
    line.output =
        one_of<OutputFormat, 2>(given, "--output", line.output,
                                {{{"table", OutputFormat::table}, {"json", OutputFormat::json}}});
    line.colour = one_of<ColourWish, 3>(given, "--color", line.colour,
                                        {{{"auto", ColourWish::automatic},
                                          {"always", ColourWish::always},
                                          {"never", ColourWish::never}}});
    line.width = given.has("--wide") ? TableWidth::wide : TableWidth::compact;
    line.is_verbose = given.has("--verbose");
    line.is_local = given.has("--local");
}

// Nothing to inspect was named: falls back on the default inventory.
void use_default_inventory(CommandLine& line, bool is_alone, const Environment& environment) {
    if (auto file = default_inventory(environment)) {
        line.inventories.push_back(*file);
    } else if (is_alone) {
        line.action = CommandLine::Action::first_steps;
    } else {
        throw InputError(
            "nothing to inspect: name a host, an inventory (-i FILE) or --local; "
            "see gpumuster --help");
    }
}

}  // namespace

CommandLine parse_command_line(std::span<const std::string> arguments,
                               const Environment& environment) {
    const auto end_of_options = std::find(arguments.begin(), arguments.end(), "--");
    const auto before =
        arguments.first(static_cast<std::size_t>(std::distance(arguments.begin(), end_of_options)));
    Arguments given;
    refuse_single_dash(before, given.names());
    given.parse(before);

    CommandLine line;
    if (given.has("--help"))
        line.action = CommandLine::Action::help;
    else if (given.has("--version"))
        line.action = CommandLine::Action::version;
    if (line.action != CommandLine::Action::inspect) return line;

    Words words = given.words();
    line.subcommand = take_subcommand(words);
    line.targets = std::move(words);
    if (end_of_options != arguments.end()) {
        line.targets.insert(line.targets.end(), std::next(end_of_options), arguments.end());
    }
    read_values(given, line);
    if (line.is_local) {
        refuse_beside_local(given, line);
    } else if (line.targets.empty() && line.inventories.empty()) {
        use_default_inventory(line, arguments.empty(), environment);
    }
    return line;
}

std::vector<std::string> option_names() {
    return Arguments().names();
}

}  // namespace gpumuster
