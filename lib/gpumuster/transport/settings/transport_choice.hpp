#pragma once

#include <string>

#include "gpumuster/base/result.hpp"
#include "gpumuster/transport/settings/config_question.hpp"

namespace gpumuster {

// Takes the transport that the host is to have, where `need` says what libssh cannot do ("":
// nothing). Fills in what the system's ssh is to be given, wherever there is one and -J can say the
// way.
Result<EffectiveSettings> with_transport(EffectiveSettings settings, const Host& host,
                                         const ConfigSource& source, const std::string& need);

}  // namespace gpumuster
