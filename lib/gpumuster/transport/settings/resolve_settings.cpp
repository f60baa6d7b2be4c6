#include "gpumuster/transport/settings/resolve_settings.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "gpumuster/transport/settings/config_survey.hpp"
#include "gpumuster/transport/settings/transport_choice.hpp"
#include "gpumuster/transport/settings/way_planner.hpp"

namespace gpumuster {
namespace {

using Settings = std::vector<std::optional<Result<EffectiveSettings>>>;

bool is_by_ssh(const Host& host) {
    return host.reach == Reach::ssh;
}

void resolve_without_config(const std::vector<Host>& hosts, const LoginDefaults& defaults,
                            const ConfigSource& source, Settings& all) {
    const SshConfigAnswer nothing;
    LoginLayers layers(source, defaults, nothing);
    for (std::size_t i = 0; i < hosts.size(); ++i) {
        if (all[i]) continue;
        EffectiveSettings settings = effective_settings(hosts[i], defaults);
        std::string need = layers.security_key_need(settings.target);
        for (const Login& hop : settings.hops) {
            if (need.empty()) need = layers.security_key_need(hop);
        }
        all[i] = with_transport(std::move(settings), hosts[i], source, need);
    }
}

// In rounds: what ssh says of a host or a hop names the hops to ask for next.
void resolve_with_config(const std::vector<Host>& hosts, const LoginDefaults& defaults,
                         const ConfigSource& source, std::stop_token stop, Settings& all) {
    ConfigSurvey survey(source, std::move(stop));
    LoginLayers layers(source, defaults, survey.defaults());
    WayPlanner planner(source, survey.answers(), layers);
    std::vector<ConfigQuestion> questions;
    do {
        questions.clear();
        for (std::size_t i = 0; i < hosts.size(); ++i) {
            if (all[i]) continue;
            Plan plan = planner.plan(hosts[i]);
            all[i] = std::move(plan.settings);
            std::move(plan.missing.begin(), plan.missing.end(), std::back_inserter(questions));
        }
        survey.ask(questions);
    } while (!questions.empty());
}

}  // namespace

ResolvedTargets resolve_settings(std::vector<Host> hosts, const LoginDefaults& defaults,
                                 const ConfigSource& source, std::stop_token stop) {
    ResolvedTargets resolved;
    Settings all(hosts.size());
    for (std::size_t i = 0; i < hosts.size(); ++i) {
        if (!is_by_ssh(hosts[i])) all[i] = effective_settings(hosts[i], defaults);
    }
    const bool has_ssh_hosts = std::any_of(hosts.begin(), hosts.end(), is_by_ssh);
    if (source.is_read && !source.ssh_program.empty()) {
        resolve_with_config(hosts, defaults, source, std::move(stop), all);
    } else {
        resolve_without_config(hosts, defaults, source, all);
        if (source.is_read && has_ssh_hosts) {
            resolved.notes.emplace_back("no ssh on this machine: ssh_config is not read");
        }
    }
    for (std::size_t i = 0; i < hosts.size(); ++i) {
        resolved.targets.push_back(Target{std::move(hosts[i]), std::move(*all[i])});
    }
    return resolved;
}

}  // namespace gpumuster
