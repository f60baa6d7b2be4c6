#include "gpumuster/fleet/visit.hpp"

#include <utility>

#include "gpumuster/base/safe_text.hpp"
#include "gpumuster/fleet/chance.hpp"
#include "gpumuster/verdict/verdict.hpp"

namespace gpumuster {
namespace {

using Clock = std::chrono::steady_clock;

// A question that can get less than this is not worth asking.
constexpr std::chrono::milliseconds shortest_question{1'000};

Thresholds thresholds_for(const Host& host, const FleetOptions& options) {
    Thresholds thresholds = options.thresholds;
    if (host.settings.idle_memory_mib) thresholds.idle_memory_mib = *host.settings.idle_memory_mib;
    return thresholds;
}

// Everything of one visit that its steps share; lives in the visit's coroutine.
struct Visit {
    const Host& host;
    const FleetOptions& options;
    EffectiveSettings settings;  // of its own: the way may have to change
    const Budgets budgets;
    LoginLedger& ledger;
    StageClock clock;
    HostReport report;
};

// Asks the ladder's questions on the open connection. A failure only when the host has answered
// nothing at all.
asio::awaitable<std::optional<Failure>> ask(Visit& visit, Connection& connection) {
    const Marker marker = visit.options.next_marker ? visit.options.next_marker() : random_marker();
    const Clock::time_point give_up = Clock::now() + visit.budgets.command;
    HostReadings readings;
    readings.asked = visit.options.probe;
    std::vector<Question> asked;
    NextQuestion next{
        visit.options.probe == ProbeLevel::minimal ? Question::minimal_bare : Question::full,
        first_question(visit.options.probe, marker, visit.budgets.command)};
    while (true) {
        Result<CommandOutput> output = co_await connection.run(next.command);
        if (!output && asked.empty()) co_return std::move(output.error());
        if (!output) break;
        if (output->ending == Ending::cancelled) {
            co_return make_failure(FailureKind::run_interrupted, target_hop(visit.settings),
                                   "interrupted");
        }
        asked.push_back(next.question);
        read_answer(next.question, *output, marker, readings);

        const auto left =
            std::chrono::duration_cast<std::chrono::milliseconds>(give_up - Clock::now());
        if (left < shortest_question) break;
        std::optional<NextQuestion> following = next_question(readings, asked, marker, left);
        if (!following) break;
        next = std::move(*following);
    }
    visit.report.readings = std::move(readings);
    co_return std::nullopt;
}

asio::awaitable<std::optional<Failure>> go(Visit& visit, Transport& transport, CancelToken cancel) {
    const OpenRequest request{visit.host,  visit.settings, visit.budgets,       std::move(cancel),
                              visit.clock, visit.ledger,   visit.report.remarks};
    Result<std::unique_ptr<Connection>> opened = co_await transport.open(request);
    if (!opened) co_return std::move(opened.error());
    Connection& connection = **opened;
    const std::string address = connection.remote_address();
    if (!address.empty()) visit.report.remote_address = address;
    co_return co_await ask(visit, connection);
}

Budgets budgets_for(const Host& host, const EffectiveSettings& settings,
                    const FleetOptions& options) {
    const auto connect = host.settings.connect_timeout ? host.settings.connect_timeout
                                                       : settings.target.connect_timeout;
    return scaled(options.budgets, connect, host.settings.command_timeout);
}

// libssh offers no host certificates, so where nothing but an authority vouches for a host, or for
// a hop on the way, the system's ssh goes. Nothing was sent there yet.
bool must_use_openssh(const Failure& failure, const Visit& visit) {
    const auto choice = visit.host.settings.transport.value_or(TransportChoice::automatic);
    return failure.kind == FailureKind::hostkey_certificate_only &&
           choice == TransportChoice::automatic &&
           visit.settings.transport == TransportKind::libssh &&
           !visit.settings.openssh_destination.empty();
}

void switch_to_openssh(Visit& visit) {
    use_openssh(visit.settings, "@cert-authority in known_hosts");
    visit.report.route.transport = transport_name(visit.settings.transport);
    visit.report.route.reason = visit.settings.transport_reason;
}

Failure internal_failure(const Visit& visit, const char* what) {
    return make_failure(FailureKind::internal_error, target_hop(visit.settings), quote_line(what));
}

}  // namespace

HostReport blank_report(const Target& target, const FleetOptions& options) {
    HostReport report;
    report.host = target.host;
    report.thresholds = thresholds_for(target.host, options);
    if (!target.settings) return report;
    const EffectiveSettings& settings = *target.settings;
    report.address = settings.target.address;
    report.user = settings.target.user;
    report.port = settings.target.port;
    report.route.transport = transport_name(settings.transport);
    report.route.reason = settings.transport_reason;
    for (const Login& hop : settings.hops) report.route.hops.push_back(hop.name);
    return report;
}

Transport& transport_for(const EffectiveSettings& settings, Transports transports) {
    switch (settings.transport) {
        case TransportKind::local:
            return transports.local;
        case TransportKind::openssh:
            return transports.openssh;
        default:
            return transports.ssh;
    }
}

void report_failure(HostReport& report, Failure failure) {
    report.verdict = judge(failure);
    add_remarks(report.verdict, report.remarks);
    report.readings.reset();
    report.failure = std::move(failure);
}

asio::awaitable<HostReport> visit_host(const Target& target, const FleetOptions& options,
                                       Transports transports, LoginLedger& ledger,
                                       CancelToken cancel) {
    HostReport report = blank_report(target, options);
    if (!target.settings) {
        report.observed_at = options.now();
        report_failure(report, target.settings.error());
        co_return report;
    }
    const Host& host = target.host;
    const EffectiveSettings& settings = *target.settings;
    Visit visit{host,   options,      settings,         budgets_for(host, settings, options),
                ledger, StageClock(), std::move(report)};
    std::optional<Failure> failure;
    try {
        failure = co_await go(visit, transport_for(settings, transports), cancel);
        if (failure && must_use_openssh(*failure, visit)) {
            switch_to_openssh(visit);
            failure = co_await go(visit, transports.openssh, cancel);
        }
    } catch (const std::exception& error) {
        failure = internal_failure(visit, error.what());
    } catch (...) {
        failure = internal_failure(visit, "an exception of unknown type");
    }
    visit.clock.leave();
    report = std::move(visit.report);
    report.timings = visit.clock.timings();
    report.observed_at = options.now();
    if (failure) {
        // Where the visit was when the run ended says more than that it ended.
        if (failure->kind == FailureKind::run_interrupted && visit.clock.last()) {
            failure->stage = *visit.clock.last();
        }
        report_failure(report, std::move(*failure));
    } else {
        report.verdict =
            judge(*report.readings, host.settings.expect, report.thresholds, host.name);
        add_remarks(report.verdict, report.remarks);
    }
    co_return report;
}

}  // namespace gpumuster
