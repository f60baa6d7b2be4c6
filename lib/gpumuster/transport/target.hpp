#pragma once

#include "gpumuster/base/result.hpp"
#include "gpumuster/inventory/host.hpp"
#include "gpumuster/transport/effective_settings.hpp"

namespace gpumuster {

// A host and the way to it, or why there is none.
struct Target {
    Host host;
    Result<EffectiveSettings> settings;
};

}  // namespace gpumuster
