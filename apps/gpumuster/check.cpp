#include "check.hpp"

#include <unistd.h>

#include <chrono>
#include <memory>
#include <utility>

#include "account.hpp"
#include "colour.hpp"
#include "gpumuster/fleet/fleet.hpp"
#include "gpumuster/report/render.hpp"
#include "gpumuster/transport/local/local_transport.hpp"
#include "gpumuster/transport/ssh/ssh_transport.hpp"
#include "host_selection.hpp"
#include "output.hpp"
#include "process_setup.hpp"
#include "progress_line.hpp"
#include "stop_signals.hpp"
#include "visit_log.hpp"

namespace gpumuster {
namespace {

constexpr std::chrono::milliseconds progress_delay{500};

class SilentObserver : public FleetObserver {
public:
    void host_done(const HostReport&, std::size_t, std::size_t) override {}
};

FleetOptions fleet_options(const CommandLine& line, LoginDefaults login) {
    FleetOptions options;
    options.login = std::move(login);
    options.probe = line.probe;
    options.timeout = line.timeout;
    options.parallel = line.parallel;
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

FleetReport run(const CommandLine& line, std::span<const Host> hosts, const FleetOptions& options) {
    const StopSignals signals;
    SshOptions ssh_options;
    ssh_options.login = options.login;
    const auto ssh = make_ssh_transport(hosts, ssh_options);
    const auto local = make_local_transport();
    const auto observer = make_observer(line, hosts, options);
    return inspect(hosts, options, Transports{*ssh, *local}, *observer, signals.token());
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
    const auto hosts = selected_hosts(line, local_facts(account, environment));
    const FleetOptions options = fleet_options(line, login_defaults(account));
    const Colour colour = decide_colour(line.colour, environment, isatty(STDOUT_FILENO) == 1);

    forbid_core_files();
    raise_descriptor_limit();
    const FleetReport report = run(line, hosts, options);

    Output output(STDOUT_FILENO);
    render(line, report, colour, output);
    return output.finish(exit_status(report));
}

}  // namespace gpumuster
