#include "config_source.hpp"

#include <string>
#include <string_view>

#include <fmt/format.h>

#include "gpumuster/base/input_error.hpp"
#include "gpumuster/base/safe_text.hpp"

namespace gpumuster {
namespace {

// Folders that depend on where gpumuster was started ("", ".") are passed over: what runs must not
// change with them. Empty when there is none.
std::string find_program(std::string_view name, const Environment& environment) {
    const std::string path = environment.variable("PATH").value_or("/usr/bin:/bin");
    std::string_view rest = path;
    while (true) {
        const std::size_t colon = rest.find(':');
        const std::string_view folder = rest.substr(0, colon);
        if (folder.starts_with('/')) {
            std::string program = fmt::format("{}/{}", folder, name);
            if (environment.is_program(program)) return program;
        }
        if (colon == std::string_view::npos) return {};
        rest.remove_prefix(colon + 1);
    }
}

bool has_kerberos_ticket(const Account& account, const Environment& environment) {
    return environment.variable("KRB5CCNAME").has_value() ||
           environment.file_exists(fmt::format("/tmp/krb5cc_{}", account.id));
}

// A shell does not expand the ~ of --ssh-config=~/x.
std::string with_home(std::string file, const Account& account, const Environment& environment) {
    if (!file.starts_with("~/")) return file;
    return environment.variable("HOME").value_or(account.home) + file.substr(1);
}

std::string config_file(const std::string& typed, const ConfigSource& source,
                        const Account& account, const Environment& environment) {
    const auto refuse = [&](std::string_view why) {
        throw InputError(fmt::format("--ssh-config \"{}\": {}", quote_line(typed), why));
    };
    std::string file = with_home(typed, account, environment);
    if (const auto fault = environment.reading_fault(file)) refuse("cannot be read: " + *fault);
    if (source.ssh_program.empty()) {
        refuse("no ssh on PATH that could read it; install the OpenSSH client, or give none");
    }
    return file;
}

}  // namespace

ConfigSource config_source(const CommandLine& line, const Account& account,
                           const Environment& environment) {
    ConfigSource source;
    source.is_read = line.reads_ssh_config;
    source.ssh_program = find_program("ssh", environment);
    source.home = account.home;
    source.local_user = account.user;
    source.machine_name = machine_name();
    source.variable = environment.variable;
    source.has_kerberos_ticket = has_kerberos_ticket(account, environment);
    if (line.ssh_config) {
        source.file = config_file(*line.ssh_config, source, account, environment);
    }
    return source;
}

}  // namespace gpumuster
