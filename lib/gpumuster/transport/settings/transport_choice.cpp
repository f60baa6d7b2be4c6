#include "gpumuster/transport/settings/transport_choice.hpp"

#include <utility>

#include <fmt/format.h>

#include "gpumuster/transport/settings/openssh_arguments.hpp"

namespace gpumuster {

Result<EffectiveSettings> with_transport(EffectiveSettings settings, const Host& host,
                                         const ConfigSource& source, const std::string& need) {
    const auto choice = host.settings.transport.value_or(TransportChoice::automatic);
    const HopRef target = target_hop(settings);
    const std::string hop_trouble = trouble_with_hops(host.settings);
    if (!source.ssh_program.empty() && hop_trouble.empty()) {
        const ConfigQuestion question = question_for(host);
        settings.openssh_arguments = openssh_arguments(source, question, host.settings);
        settings.openssh_destination = question.name;
    }
    if (choice == TransportChoice::libssh && !need.empty()) {
        return failed(make_failure(FailureKind::config_unsupported, target,
                                   "libssh cannot do what is asked for: " + need));
    }
    const std::string reason = !need.empty() ? need : "asked for";
    if (choice != TransportChoice::openssh && need.empty()) return settings;
    if (source.ssh_program.empty()) {
        return failed(make_failure(FailureKind::config_no_ssh, target,
                                   "no ssh on this machine, and it is needed: " + reason));
    }
    if (!hop_trouble.empty()) {
        Failure failure =
            make_failure(FailureKind::config_unsupported, target,
                         fmt::format("{}, and the system ssh is needed: {}", hop_trouble, reason));
        failure.next_step = "give the jump host its key and known_hosts in ssh_config";
        return failed(std::move(failure));
    }
    use_openssh(settings, reason);
    return settings;
}

}  // namespace gpumuster
