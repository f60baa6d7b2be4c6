#include "hosts.hpp"

#include <unistd.h>

#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "account.hpp"
#include "gpumuster/base/safe_text.hpp"
#include "gpumuster/report/columns.hpp"
#include "host_selection.hpp"
#include "output.hpp"

namespace gpumuster {
namespace {

using Json = nlohmann::ordered_json;

std::string_view route_of(const Host& host) {
    return host.reach == Reach::local ? "local" : "direct";
}

std::string expectations_of(const Host& host) {
    std::vector<std::string> parts;
    const Expectations& expect = host.settings.expect;
    if (expect.gpus) parts.push_back(fmt::format("gpus {}", *expect.gpus));
    if (expect.model) parts.push_back(fmt::format("model {}", *expect.model));
    return fmt::format("{}", fmt::join(parts, ", "));
}

TableRow row_of(const Host& host, const LoginDefaults& login) {
    const EffectiveSettings settings = effective_settings(host, login);
    const bool is_local = host.reach == Reach::local;
    std::vector<std::string> texts{host.name,
                                   settings.target.user,
                                   is_local ? "–" : settings.target.address,
                                   is_local ? "–" : fmt::format("{}", settings.target.port),
                                   std::string(route_of(host)),
                                   expectations_of(host)};
    TableRow row;
    for (const std::string& text : texts) row.push_back({.text = make_safe(text)});
    return row;
}

Json object_of(const Host& host, const LoginDefaults& login) {
    const EffectiveSettings settings = effective_settings(host, login);
    const bool is_local = host.reach == Reach::local;
    Json object;
    object["name"] = make_safe(host.name);
    object["user"] = make_safe(settings.target.user);
    object["address"] = is_local ? Json() : Json(make_safe(settings.target.address));
    object["port"] = is_local ? Json() : Json(settings.target.port);
    object["route"] = route_of(host);
    object["groups"] = Json::array();
    for (const std::string& group : host.groups) object["groups"].push_back(make_safe(group));
    const Expectations& expect = host.settings.expect;
    object["expect"]["gpus"] = expect.gpus ? Json(*expect.gpus) : Json();
    object["expect"]["model"] = expect.model ? Json(make_safe(*expect.model)) : Json();
    return object;
}

}  // namespace

void render_hosts_table(std::span<const Host> hosts, const LoginDefaults& login, Sink& sink) {
    const TableRow head{{"HOST"}, {"USER"}, {"ADDRESS"}, {"PORT"}, {"ROUTE"}, {"EXPECTED"}};
    Columns columns(
        {Align::left, Align::left, Align::left, Align::right, Align::left, Align::left});
    columns.measure(head);
    for (const Host& host : hosts) columns.measure(row_of(host, login));
    columns.write(head, Colour::off, sink);
    for (const Host& host : hosts) columns.write(row_of(host, login), Colour::off, sink);
}

void render_hosts_json(std::span<const Host> hosts, const LoginDefaults& login, Sink& sink) {
    std::string_view separator = "[\n  ";
    for (const Host& host : hosts) {
        sink.write(separator);
        sink.write(object_of(host, login).dump());
        separator = ",\n  ";
    }
    sink.write("\n]\n");
}

int run_hosts(const CommandLine& line, const Environment& environment) {
    const Account account = current_account(environment);
    const auto selected = selected_hosts(line, local_facts(account, environment));
    const LoginDefaults login = login_defaults(account);
    Output output(STDOUT_FILENO);
    if (line.output == OutputFormat::json)
        render_hosts_json(selected, login, output);
    else
        render_hosts_table(selected, login, output);
    return output.finish(0);
}

}  // namespace gpumuster
