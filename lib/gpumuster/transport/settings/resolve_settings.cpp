#include "gpumuster/transport/settings/resolve_settings.hpp"

#include <utility>

namespace gpumuster {

ResolvedTargets resolve_settings(std::vector<Host> hosts, const LoginDefaults& defaults,
                                 const ConfigSource&, std::stop_token) {
    ResolvedTargets resolved;
    for (Host& host : hosts) {
        EffectiveSettings settings = effective_settings(host, defaults);
        resolved.targets.push_back(Target{std::move(host), std::move(settings)});
    }
    return resolved;
}

}  // namespace gpumuster
