#include "check.hpp"

#include <unistd.h>

#include <chrono>
#include <memory>
#include <utility>

#include "account.hpp"
#include "colour.hpp"
#include "config_source.hpp"
#include "gpumuster/base/input_error.hpp"
#include "gpumuster/fleet/chance.hpp"
#include "gpumuster/fleet/fleet.hpp"
#include "gpumuster/report/render.hpp"
#include "gpumuster/transport/local/local_transport.hpp"
#include "gpumuster/transport/openssh/openssh_transport.hpp"
#include "gpumuster/transport/settings/resolve_settings.hpp"
#include "gpumuster/transport/ssh/ssh_transport.hpp"
#include "host_selection.hpp"
#include "output.hpp"
#include "process_setup.hpp"
#include "progress_line.hpp"
#include "prompt.hpp"
#include "stop_signals.hpp"
#include "visit_log.hpp"

namespace gpumuster {
namespace {

constexpr std::chrono::milliseconds progress_delay{500};

class SilentObserver : public FleetObserver {
public:
    void host_done(const HostReport&, std::size_t, std::size_t) override {}
};

FleetOptions fleet_options(const CommandLine& line) {
    FleetOptions options;
    options.probe = line.probe;
    options.timeout = line.timeout;
    options.parallel = line.parallel;
    options.splay = line.splay;
    return options;
}

std::unique_ptr<FleetObserver> make_observer(const CommandLine& line, std::span<const Host> hosts,
                                             const FleetOptions& options) {
    if (line.is_verbose) {
        auto log = std::make_unique<VisitLog>();
        log->start(hosts, options);
        return log;
    }
    if (isatty(STDERR_FILENO) == 1) {
        return std::make_unique<ProgressLine>(STDERR_FILENO, hosts.size(), progress_delay);
    }
    return std::make_unique<SilentObserver>();
}

SshOptions ssh_options(const CommandLine& line, const PromptPlace& prompts) {
    SshOptions options;
    options.jitter = random_share;
    options.credentials.passphrase = passphrase_prompt(prompts);
    if (!line.asks_password) return options;
    options.credentials.password = ask_password("the hosts of this run", prompts);
    if (!options.credentials.password) {
        throw InputError("--ask-pass: no password was given, and there is nobody else to ask");
    }
    return options;
}

OpensshOptions openssh_options(const ConfigSource& source) {
    OpensshOptions options;
    options.ssh_program = source.ssh_program;
    options.jitter = random_share;
    return options;
}

FleetReport run(const CommandLine& line, std::vector<Host> hosts, const LoginDefaults& defaults,
                const ConfigSource& source, const Environment& environment) {
    const StopSignals signals;
    const FleetOptions options = fleet_options(line);
    const auto observer = make_observer(line, hosts, options);
    const ResolvedTargets resolved =
        resolve_settings(std::move(hosts), defaults, source, signals.token());
    const PromptPlace prompts{environment, signals.token()};
    const auto ssh = make_ssh_transport(resolved.targets, ssh_options(line, prompts));
    const auto openssh = make_openssh_transport(openssh_options(source));
    const auto local = make_local_transport();
    const Transports transports{*ssh, *openssh, *local};
    FleetReport report = inspect(resolved.targets, options, transports, *observer, signals.token());
    report.notes = resolved.notes;
    return report;
}

void render(const CommandLine& line, const FleetReport& report, Colour colour, Sink& sink) {
    if (line.output == OutputFormat::json) {
        render_json(report, GPUMUSTER_VERSION, sink);
        return;
    }
    TableStyle style;
    style.colour = colour;
    style.width = line.width;
    render_table(report, style, sink);
}

}  // namespace

int run_check(const CommandLine& line, const Environment& environment) {
    const Account account = current_account(environment);
    auto hosts = selected_hosts(line, local_facts(account, environment));
    const Colour colour = decide_colour(line.colour, environment, isatty(STDOUT_FILENO) == 1);

    forbid_core_files();
    raise_descriptor_limit();
    const FleetReport report = run(line, std::move(hosts), login_defaults(account, environment),
                                   config_source(line, account, environment), environment);

    Output output(STDOUT_FILENO);
    render(line, report, colour, output);
    return output.finish(exit_status(report));
}

}  // namespace gpumuster
