#include "hosts.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "account.hpp"
#include "config_source.hpp"
#include "gpumuster/base/safe_text.hpp"
#include "gpumuster/report/columns.hpp"
#include "gpumuster/transport/settings/resolve_settings.hpp"
#include "host_selection.hpp"
#include "output.hpp"
#include "stop_signals.hpp"

namespace gpumuster {
namespace {

using Json = nlohmann::ordered_json;
using Texts = std::vector<std::string>;

constexpr int interrupted_status = 130;

bool is_by_openssh(const Target& target) {
    return target.settings && target.settings->transport == TransportKind::openssh;
}

std::string route_of(const EffectiveSettings& settings) {
    if (settings.transport == TransportKind::local) return "local";
    if (settings.hops.empty()) return "direct";
    Texts names;
    for (const Login& hop : settings.hops) names.push_back(hop.name);
    return fmt::format("via {}", fmt::join(names, ", "));
}

std::string container_of(const Host& host) {
    const auto& container = host.settings.container;
    if (!container) return "";
    if (container->kind == ContainerEntry::Kind::exec) {
        return fmt::format("{}", fmt::join(container->argv, " "));
    }
    return fmt::format("{} {}", container_kind_name(container->kind), container->name);
}

std::string transport_of(const EffectiveSettings& settings) {
    std::string text(transport_name(settings.transport));
    if (!settings.transport_reason.empty()) text += ": " + settings.transport_reason;
    return text;
}

std::string expectations_of(const Host& host) {
    Texts parts;
    const Expectations& expect = host.settings.expect;
    if (expect.gpus) parts.push_back(fmt::format("gpus {}", *expect.gpus));
    if (expect.model) parts.push_back(fmt::format("model {}", *expect.model));
    return fmt::format("{}", fmt::join(parts, ", "));
}

// The columns that a list has; of the last ones before the expectations, only those that say
// something.
class HostColumns {
public:
    explicit HostColumns(std::span<const Target> targets)
        : has_containers_(std::any_of(
              targets.begin(), targets.end(),
              [](const Target& target) { return target.host.settings.container.has_value(); })),
          has_transports_(std::any_of(targets.begin(), targets.end(), is_by_openssh)) {}

    TableRow head() const {
        return row_of({"HOST", "USER", "ADDRESS", "PORT", "ROUTE"},
                      {"CONTAINER", "TRANSPORT", "EXPECTED"});
    }

    std::vector<Align> alignment() const {
        std::vector<Align> alignment(head().size(), Align::left);
        alignment[3] = Align::right;
        return alignment;
    }

    TableRow row(const Target& target) const {
        const std::string name = make_safe(target.host.name);
        if (!target.settings) return failure_row(name, target.settings.error());
        const EffectiveSettings& settings = *target.settings;
        const bool is_local = settings.transport == TransportKind::local;
        return row_of(
            {name, settings.target.user, is_local ? "–" : settings.target.address,
             is_local ? "–" : fmt::format("{}", settings.target.port), route_of(settings)},
            {container_of(target.host), transport_of(settings), expectations_of(target.host)});
    }

private:
    // `rest` is the container, the transport and the expectations.
    TableRow row_of(Texts texts, const Texts& rest) const {
        if (has_containers_) texts.push_back(rest[0]);
        if (has_transports_) texts.push_back(rest[1]);
        texts.push_back(rest[2]);
        TableRow row;
        for (const std::string& text : texts) row.push_back({.text = make_safe(text)});
        return row;
    }

    TableRow failure_row(const std::string& name, const Failure& failure) const {
        TableRow row{{name}, {"?"}, {"?"}, {"?"}};
        Cell reason;
        reason.text =
            make_safe(fmt::format("? {}: {}", failure_info(failure.kind).id, failure.message));
        reason.span = head().size() - row.size();
        row.push_back(std::move(reason));
        return row;
    }

    bool has_containers_;
    bool has_transports_;
};

Json hop_json(const Login& hop) {
    Json object;
    object["name"] = make_safe(hop.name);
    object["user"] = make_safe(hop.user);
    object["address"] = make_safe(hop.address);
    object["port"] = hop.port;
    return object;
}

Json route_json(const EffectiveSettings& settings) {
    Json route;
    route["transport"] = transport_name(settings.transport);
    const std::string& reason = settings.transport_reason;
    route["reason"] = reason.empty() ? Json() : Json(make_safe(reason));
    route["hops"] = Json::array();
    for (const Login& hop : settings.hops) route["hops"].push_back(hop_json(hop));
    return route;
}

Json container_json(const Host& host) {
    const auto& container = host.settings.container;
    if (!container) return {};
    Json object;
    object["kind"] = container_kind_name(container->kind);
    object["name"] = make_safe(container_name(*container));
    if (container->kind == ContainerEntry::Kind::exec) {
        object["argv"] = Json::array();
        for (const std::string& word : container->argv) object["argv"].push_back(make_safe(word));
    }
    return object;
}

Json failure_json(const Failure& failure) {
    Json object;
    object["kind"] = failure_info(failure.kind).id;
    object["message"] = make_safe(failure.message);
    object["next_step"] = make_safe(failure.next_step);
    return object;
}

void write_way(const Target& target, Json& object) {
    for (const char* key : {"user", "address", "port", "route"}) object[key] = nullptr;
    if (!target.settings) return;
    const EffectiveSettings& settings = *target.settings;
    object["user"] = make_safe(settings.target.user);
    object["route"] = route_json(settings);
    if (settings.transport == TransportKind::local) return;
    object["address"] = make_safe(settings.target.address);
    object["port"] = settings.target.port;
}

Json object_of(const Target& target) {
    const Host& host = target.host;
    Json object;
    object["name"] = make_safe(host.name);
    write_way(target, object);
    object["container"] = container_json(host);
    object["failure"] = target.settings ? Json() : failure_json(target.settings.error());
    object["groups"] = Json::array();
    for (const std::string& group : host.groups) object["groups"].push_back(make_safe(group));
    const Expectations& expect = host.settings.expect;
    object["expect"]["gpus"] = expect.gpus ? Json(*expect.gpus) : Json();
    object["expect"]["model"] = expect.model ? Json(make_safe(*expect.model)) : Json();
    return object;
}

}  // namespace

void render_hosts_table(std::span<const Target> targets, Sink& sink) {
    const HostColumns list(targets);
    Columns columns(list.alignment());
    columns.measure(list.head());
    for (const Target& target : targets) columns.measure(list.row(target));
    columns.write(list.head(), Colour::off, sink);
    for (const Target& target : targets) columns.write(list.row(target), Colour::off, sink);
}

void render_hosts_json(std::span<const Target> targets, Sink& sink) {
    std::string_view separator = "[\n  ";
    for (const Target& target : targets) {
        sink.write(separator);
        sink.write(object_of(target).dump());
        separator = ",\n  ";
    }
    sink.write("\n]\n");
}

int run_hosts(const CommandLine& line, const Environment& environment) {
    const Account account = current_account(environment);
    auto hosts = selected_hosts(line, local_facts(account, environment));
    const ConfigSource source = config_source(line, account, environment);
    const StopSignals signals;
    const ResolvedTargets resolved = resolve_settings(
        std::move(hosts), login_defaults(account, environment), source, signals.token());
    for (const std::string& note : resolved.notes) {
        fmt::print(stderr, "gpumuster: {}\n", make_safe(note));
    }
    Output output(STDOUT_FILENO);
    if (line.output == OutputFormat::json)
        render_hosts_json(resolved.targets, output);
    else
        render_hosts_table(resolved.targets, output);
    return output.finish(signals.token().stop_requested() ? interrupted_status : 0);
}

}  // namespace gpumuster
