#pragma once

#include <optional>
#include <vector>

#include "gpumuster/base/result.hpp"
#include "gpumuster/transport/settings/config_question.hpp"
#include "gpumuster/transport/settings/login_layers.hpp"

namespace gpumuster {

// How far the way to one host is known: settings, or a failure, or what has to be asked first.
struct Plan {
    std::vector<ConfigQuestion> missing;
    std::optional<Result<EffectiveSettings>> settings;  // once nothing is missing
};

// The way to a host from what ssh says of the host and of each hop. Jump hosts are followed as ssh
// follows them: in a list only the first one's own ProxyJump or ProxyCommand counts.
class WayPlanner {
public:
    WayPlanner(const ConfigSource& source, const ConfigAnswers& answers, LoginLayers& layers)
        : source_(source), answers_(answers), layers_(layers) {}

    Plan plan(const Host& host);

private:
    const ConfigSource& source_;
    const ConfigAnswers& answers_;
    LoginLayers& layers_;
};

}  // namespace gpumuster
